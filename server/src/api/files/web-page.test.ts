import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const PAGE = '<!doctype html><title>The page</title>'
/** As browsers send it when a person opens an address. */
const NAVIGATION = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

let webFolder: string
let server: TestServer
beforeAll(async () => {
  webFolder = mkdtempSync(join(tmpdir(), 'parley-pages-'))
  mkdirSync(join(webFolder, 'assets'))
  writeFileSync(join(webFolder, 'index.html'), PAGE)
  writeFileSync(join(webFolder, 'assets', 'index-abc.js'), 'export {}')
  server = await startTestServer({}, { webFolder })
})
afterAll(async () => {
  await server.stop()
  rmSync(webFolder, { recursive: true })
})

const open = (path: string, headers: Record<string, string> = NAVIGATION, method: 'GET' | 'HEAD' = 'GET') =>
  server.call(path, { headers, method, credentials: null })

const VIEWS = [
  '/',
  '/rooms/board',
  '/rooms/board/join',
  '/rooms/caf%C3%A9',
  '/join',
  '/c/board',
  '/join?from=mail',
  '/rooms/board/',
]
const NOWHERE = [
  '/dashboards-of-old',
  '/rooms/board/leave',
  '/rooms/50%',
  '/..%2f',
  '/rooms',
  '/rooms/',
  '/rooms//',
  '/rooms//join',
  '/c/',
  '/apiary',
]

describe('an address that a person opens', () => {
  it.each(VIEWS)('%s is the page', async (path) => {
    const { status, headers, text } = await open(path)
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: 200,
      text: PAGE,
      type: 'text/html; charset=utf-8',
    })
    expect(headers['cache-control']).toBe('no-cache')
    expect(headers['content-security-policy']).toMatch(/^default-src 'self'.*frame-ancestors 'none'/)
    expect(headers['content-security-policy']).toContain("; script-src 'self' 'wasm-unsafe-eval';")
  })

  it.each(NOWHERE)('%s, which is nowhere, is the page with the status 404', async (path) => {
    const { status, headers, text } = await open(path)
    expect({ status, text, type: headers['content-type'] }).toEqual({
      status: 404,
      text: PAGE,
      type: 'text/html; charset=utf-8',
    })
    const known = await open('/')
    for (const name of ['content-security-policy', 'cache-control', 'referrer-policy']) {
      expect(headers[name]).toBe(known.headers[name])
    }
  })

  it('has the same status without a body for HEAD', async () => {
    expect(await open('/rooms/board', NAVIGATION, 'HEAD')).toMatchObject({ status: 200, text: '' })
    expect(await open('/nowhere', NAVIGATION, 'HEAD')).toMatchObject({ status: 404, text: '' })
  })

  it('is revalidated, and an unknown one stays unknown then', async () => {
    const etag = String((await open('/rooms/board')).headers.etag)
    expect((await open('/rooms/board', { ...NAVIGATION, 'if-none-match': etag })).status).toBe(304)
    expect((await open('/nowhere', { ...NAVIGATION, 'if-none-match': etag })).status).toBe(404)
  })
})

describe('what programs ask for stays an error in JSON', () => {
  it.each([
    '/api',
    '/api/nothing',
    '/api/video/nothing',
    '/api?x=1',
    '/2010-04-01/nothing',
    '/page/nothing',
    '/docs/nothing',
    '/assets/gone.js',
  ])('%s, even if HTML is accepted', async (path) => {
    const { status, headers, json } = await open(path)
    expect(status).toBe(404)
    expect(headers['content-type']).toMatch(/^application\/json/)
    expect(json).toBeDefined()
  })

  it.each(['/rooms/board', '/join', '/c/board', '/nowhere', '/assets/gone.js', '/rooms/50%'])(
    '%s, if HTML is not accepted',
    async (path) => {
      for (const accept of ['*/*', 'application/json', 'image/avif,*/*;q=0.8']) {
        const { status, headers, json } = await open(path, { accept })
        expect([400, 404]).toContain(status)
        expect(headers['content-type']).toMatch(/^application\/json/)
        expect(json.errors).toHaveLength(1)
      }
    },
  )

  it('a method that only programs use', async () => {
    const answer = await server.call('/rooms/board', { method: 'POST', headers: NAVIGATION, body: {} })
    expect(answer.status).toBe(404)
    expect(answer.json.errors[0].code).toBe('does_not_exist')
  })

  it('assets are still served', async () => {
    expect(await open('/assets/index-abc.js', { accept: '*/*' })).toMatchObject({
      status: 200,
      text: 'export {}',
    })
  })
})
