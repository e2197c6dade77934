import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freePort } from '../../testing/free-port.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { type TemporaryCluster, temporaryCluster } from '../../testing/temporary-cluster.ts'
import { type TemporaryNats, temporaryNats } from '../../testing/temporary-nats.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 90_000 })

/** More than the connections between the nodes hold in their buffers. */
const SCRIPT = `export const text = '${randomBytes(3 * 1024 * 1024).toString('hex')}'`

let postgres: TemporaryCluster
let nats: TemporaryNats
const folders: string[] = []
/** `old` is asked for the assets of the pages of `next`. */
let old: TestServer
let next: TestServer

/** Pages of one version, with one script. */
function pagesWith(script: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pages-'))
  folders.push(folder)
  mkdirSync(join(folder, 'assets'))
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><script type=module src=/assets/${script}></script>`,
  )
  writeFileSync(join(folder, 'assets', script), content)
  writeFileSync(join(folder, 'assets', `${script}.br`), brotliCompressSync(content))
  writeFileSync(join(folder, 'secret.txt'), 'not for others')
  return folder
}

beforeAll(async () => {
  ;[postgres, nats] = await Promise.all([temporaryCluster(), temporaryNats()])
  const shared = {
    PARLEY_DATABASE_URL: await postgres.createDatabase(),
    PARLEY_NATS_URL: nats.url,
    PARLEY_ROOT_KEY: randomBytes(64).toString('base64'),
  }
  const start = async (name: string, webFolder: string) => {
    const port = String(await freePort())
    const own = { PARLEY_NODE_NAME: name, PARLEY_PORT: port, PARLEY_NODE_ADDRESS: `127.0.0.1:${port}` }
    return startTestServer({ ...shared, ...own }, { webFolder })
  }
  old = await start('old', pagesWith('app-old.js', 'export {}'))
  next = await start('next', pagesWith('app-next.js', SCRIPT))
})
afterAll(async () => {
  await next?.stop()
  await old?.stop()
  await nats?.remove()
  await postgres?.remove()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

const asset = (server: TestServer, name: string, headers: Record<string, string> = {}, method?: 'HEAD') =>
  server.call(`/assets/${name}`, { headers, credentials: null, ...(method && { method }) })

test('an asset of the pages of another node is served like one here, both ways', async () => {
  const [here, there] = [await asset(next, 'app-next.js'), await asset(old, 'app-next.js')]
  expect([there.status, there.text === SCRIPT]).toEqual([200, true])
  for (const name of ['content-type', 'content-length', 'cache-control', 'etag', 'vary']) {
    expect([name, there.headers[name]]).toEqual([name, here.headers[name]])
  }
  expect(there.headers['cache-control']).toMatch(/immutable/)
  expect(there.headers).not.toHaveProperty('parley-proof')
  expect(await asset(next, 'app-old.js')).toMatchObject({ status: 200, text: 'export {}' })
  expect(await asset(old, 'app-next.js', {}, 'HEAD')).toMatchObject({
    status: 200,
    text: '',
    headers: { 'content-length': String(SCRIPT.length) },
  })
})

test('it comes compressed for a browser that takes it so', async () => {
  const { port } = old.running.address
  const { headers, body } = await request(`https://127.0.0.1:${port}/assets/app-next.js`, {
    headers: { 'accept-encoding': 'gzip, br' },
    dispatcher: new Agent({ connect: { ca: old.ca } }),
  })
  expect(headers['content-encoding']).toBe('br')
  expect(brotliDecompressSync(await body.arrayBuffer()).toString() === SCRIPT).toBe(true)
})

test.each([
  'nowhere.js',
  '..%2fsecret.txt',
  '..%2f..%2fsecret.txt',
  '.',
  '%00',
  'a%0d%0ab',
  'x'.repeat(300),
  'é.js',
])('what no node has is not found: %s', async (name) => {
  const { status, text } = await asset(old, name)
  expect([400, 403, 404]).toContain(status)
  expect(text).not.toContain('not for others')
})

test('only nodes may ask by the way of the nodes', async () => {
  const headers = { 'parley-peer': 'app-next.js', 'parley-proof': 'x' }
  expect((await next.call('/cluster/asset', { headers, credentials: null })).status).toBe(404)
})
