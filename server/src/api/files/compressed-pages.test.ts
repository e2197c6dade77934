import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { webPageRoutes } from './web-page.ts'

const SCRIPT = 'export const answer = 42\n'.repeat(100)
const PAGE = `<!doctype html>${'<p>page</p>'.repeat(200)}`

let app: FastifyInstance
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-pages-'))
  mkdirSync(join(folder, 'assets'))
  for (const [name, text] of [
    ['assets/app-1a2b.js', SCRIPT],
    ['index.html', PAGE],
  ] as const) {
    writeFileSync(join(folder, name), text)
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
  }
  writeFileSync(join(folder, 'favicon.svg'), '<svg/>')
  app = fastify()
  await app.register(webPageRoutes, {
    folder,
    hostsOf: () => ['here.test'],
    mediaOrigin: null,
    embedOrigins: { isKnown: async () => false },
    elsewhere: null,
    limits: { admitNode: () => {} },
  })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true })
})

const get = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers })
const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd' }

it.each([
  ['br', BROWSER, brotliDecompressSync],
  ['gzip', { 'accept-encoding': 'gzip' }, gunzipSync],
  [undefined, {}, (bytes: Buffer) => bytes],
] as const)('serves an asset as %s, with the same type and lifetime', async (encoding, headers, decode) => {
  const answer = await get('/assets/app-1a2b.js', headers)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-encoding']).toBe(encoding)
  expect(answer.headers).toMatchObject({
    'content-type': 'application/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-length': String(answer.rawPayload.length),
    vary: 'accept-encoding',
  })
  expect(answer.headers['content-security-policy']).toContain('wss://here.test')
  expect(decode(answer.rawPayload).toString()).toBe(SCRIPT)
})

it.each([
  ['/', 'accept-encoding'],
  ['/index.html', 'accept-encoding'],
  ['/rooms/board', 'accept, accept-encoding'],
])('serves the page at %s compressed, and has it revalidated', async (path, vary) => {
  const answer = await get(path, { ...BROWSER, accept: 'text/html' })
  expect(answer.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary,
  })
  expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(PAGE)
})

it('has an ETag for each encoding, and answers 304 to the right one only', async () => {
  const etag = async (headers: Record<string, string>) =>
    String((await get('/assets/app-1a2b.js', headers)).headers.etag)
  const [packed, plain] = [await etag(BROWSER), await etag({})]
  expect(packed).not.toBe(plain)
  const again = await get('/assets/app-1a2b.js', { ...BROWSER, 'if-none-match': packed })
  expect(again.statusCode).toBe(304)
  expect(again.rawPayload.length).toBe(0)
  expect(again.headers.vary).toBe('accept-encoding')
  expect(again.headers['cache-control']).toContain('immutable')
  const other = await get('/assets/app-1a2b.js', { ...BROWSER, 'if-none-match': plain })
  expect(other.statusCode).toBe(200)
})

it('answers HEAD with the length of the compressed file', async () => {
  const { rawPayload } = await get('/assets/app-1a2b.js', BROWSER)
  const head = await get('/assets/app-1a2b.js', BROWSER, 'HEAD')
  expect(head.headers).toMatchObject({
    'content-encoding': 'br',
    'content-length': String(rawPayload.length),
  })
  expect(head.rawPayload.length).toBe(0)
})

it('serves a file without copies as it is', async () => {
  const answer = await get('/favicon.svg', BROWSER)
  expect(answer.headers['content-encoding']).toBeUndefined()
  expect(answer.headers).toMatchObject({ 'content-type': 'image/svg+xml', vary: 'accept-encoding' })
  expect(answer.payload).toBe('<svg/>')
})
