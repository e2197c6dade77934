import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { parleyInProcess } from '../../admin/parley-command.ts'
import { systemClock } from '../../clock.ts'
import { createEmbedOrigins } from '../../projects/embed-origins.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let webFolder: string
let server: TestServer
beforeAll(async () => {
  webFolder = mkdtempSync(join(tmpdir(), 'parley-pages-'))
  writeFileSync(join(webFolder, 'index.html'), '<!doctype html>')
  writeFileSync(join(webFolder, 'embed.js'), 'element')
  server = await startTestServer({}, { webFolder })
})
afterAll(async () => {
  await server.stop()
  rmSync(webFolder, { recursive: true })
})
const set = (origins: unknown) => server.call('embedding', { method: 'PUT', body: { origins } })
beforeEach(async () => {
  expect((await set([])).status).toBe(200)
})

/** Who may frame the page that other sites embed. */
async function framers(query: string): Promise<string | undefined> {
  const headers = { accept: 'text/html' }
  const answer = await server.call(`/embed${query}`, { headers, credentials: null })
  expect(answer.status).toBe(200)
  expect(answer.headers['cache-control']).toBe('no-store')
  return String(answer.headers['content-security-policy']).split('; ').at(-1)
}
const ask = async (origin: string, token?: string) => {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const path = `/page/embedding?origin=${encodeURIComponent(origin)}`
  return server.call(path, { credentials: null, headers })
}
const parent = (origin: string) => `?parent=${encodeURIComponent(origin)}`

it('lists nobody at first, and then whom the project set', async () => {
  expect((await server.call('embedding')).json).toEqual({ origins: [] })
  const { json } = await set(['https://Shop.example/', 'https://*.bücher.example', 'https://shop.example'])
  const origins = ['https://*.xn--bcher-kva.example', 'https://shop.example']
  expect(json).toEqual({ origins })
  expect((await server.call('embedding')).json).toEqual({ origins })
  const entries = await server.storage.audit.list({ projectId: server.projectId }, 1)
  expect(entries[0]).toMatchObject({
    action: 'project.embed_origins',
    details: { added: origins, removed: [] },
  })
})

it.each([
  [['*']],
  [['https://shop.example/path']],
  [['https://ada:secret@shop.example']],
  [['http://shop.example']],
  [['https://shop.example', 'null']],
  [['https://shop.example\r\nx: y']],
  [[7]],
  ['https://shop.example'],
  [Array.from({ length: 1001 }, (_, index) => `https://shop-${index}.example`)],
])('refuses the list %j, and keeps the present one', async (origins) => {
  await set(['https://kept.example'])
  const { status, json } = await set(origins)
  expect(status).toBe(422)
  expect(json.errors[0]).toMatchObject({ type: 'validation_error' })
  expect((await server.call('embedding')).json).toEqual({ origins: ['https://kept.example'] })
})

it('takes a thousand, and the policy names only the one that asks', async () => {
  const many = Array.from({ length: 1000 }, (_, index) => `https://shop-${index}.example`)
  expect((await set(many)).json.origins).toHaveLength(1000)
  expect(await framers(parent('https://shop-999.example'))).toBe(
    "frame-ancestors 'self' https://shop-999.example",
  )
})

it('lets only listed origins frame the page, and no other page be framed', async () => {
  await set(['https://shop.example', 'https://*.inn.example:8443'])
  expect(await framers(parent('https://shop.example'))).toBe("frame-ancestors 'self' https://shop.example")
  expect(await framers(parent('https://a.b.inn.example:8443'))).toBe(
    "frame-ancestors 'self' https://a.b.inn.example:8443",
  )
  const others = [
    'https://evil.example',
    'https://inn.example:8443',
    'https://a.inn.example',
    'null',
    '*',
    '',
  ]
  const hostile = [
    'https://shop.example https://evil.example',
    'https://shop.example; script-src *',
    '%0d%0ax: y',
  ]
  for (const origin of [...others, ...hostile])
    expect(await framers(parent(origin))).toBe("frame-ancestors 'self'")
  expect(await framers(`${parent('https://shop.example')}&parent=https://evil.example`)).toBe(
    "frame-ancestors 'self'",
  )
  const page = await server.call(`/join${parent('https://shop.example')}`, {
    headers: { accept: 'text/html' },
  })
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
})

it('tells the holder of a token whether an origin may embed what the token is for', async () => {
  await set(['https://shop.example'])
  const { json: made } = await server.call('conferences', { method: 'POST', body: { display_name: 'Hall' } })
  const { json: tokens } = await server.call(`conferences/${made.id}/conference_tokens`)
  const { json: room } = await server.call('room_tokens', { method: 'POST', body: { room_name: 'hall' } })
  for (const token of [tokens.data[0].token, room.token, `${room.token}~audience`]) {
    expect((await ask('https://shop.example', token)).json).toEqual({
      allowed: true,
      project_id: server.projectId,
    })
    expect((await ask('https://evil.example', token)).json.allowed).toBe(false)
    expect((await ask('null', token)).json.allowed).toBe(false)
  }
  for (const token of ['', 'vpt_', `vpt_${'0'.repeat(48)}`, 'a.b.c', `${room.token}x`]) {
    expect((await ask('https://shop.example', token)).status).toBe(401)
  }
})

it('tells another project nothing of it, but that the origin is known', async () => {
  await set(['https://shop.example'])
  await server.storage.projects.insert({ id: 'other', name: 'Other', created_at: 1 })
  expect((await ask('https://shop.example')).json).toEqual({ allowed: true })
  expect((await ask('https://evil.example')).json).toEqual({ allowed: false })
  expect((await ask('https://shop.example')).headers['access-control-allow-origin']).toBe('*')
  expect(
    await createEmbedOrigins({ storage: server.storage, clock: systemClock }).allows(
      'other',
      'https://shop.example',
    ),
  ).toBe(false)
})

it('serves the script to pages of every origin, for a short time', async () => {
  const { headers, text, status } = await server.call('/embed.js', { credentials: null })
  expect({ status, text }).toEqual({ status: 200, text: 'element' })
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    'content-type': 'application/javascript; charset=utf-8',
  })
  const again = await server.call('/embed.js', { headers: { 'if-none-match': String(headers.etag) } })
  expect(again.status).toBe(304)
})

it('is changed at the command line too', async () => {
  const run = (...options: string[]) =>
    parleyInProcess(['projects', 'embed-origins', server.projectId, ...options], {
      PARLEY_DATA_DIR: server.dataDir,
    })
  expect(await run()).toMatchObject({ code: 0, out: '' })
  expect((await run('--add', 'https://a.example,https://b.example/')).out).toBe(
    'https://a.example\nhttps://b.example\n',
  )
  expect((await run('--remove', 'https://a.example', '--add', 'https://c.example')).out).toBe(
    'https://b.example\nhttps://c.example\n',
  )
  expect(await framers(parent('https://c.example'))).toContain('https://c.example')
  expect((await run('--remove', 'https://x.example')).err).toMatch(/is not in the list/)
  expect((await run('--add', '*')).err).toMatch(/list each origin/)
  expect((await run('--set', 'none', '--add', 'https://a.example')).err).toMatch(/either --set/)
  expect(JSON.parse((await run('--set', 'none', '--json')).out)).toEqual({
    project_id: server.projectId,
    origins: [],
  })
})
