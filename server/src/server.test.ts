import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { DataFolderUnusable } from './storage/data-folder.ts'
import { startTestServer, type TestServer } from './testing/server-for-tests.ts'
import { CannotListen } from './tls/listening.ts'

let dataDir: string
const servers: TestServer[] = []

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-start-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
  rmSync(dataDir, { recursive: true })
})

async function start(env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startTestServer({ PARLEY_DATA_DIR: dataDir, ...env })
  servers.push(server)
  return server
}

async function stop(server: TestServer): Promise<void> {
  servers.splice(servers.indexOf(server), 1)
  await server.stop()
}

describe('starting', () => {
  it('is ready when it says so', async () => {
    const server = await start()
    const ready = await server.call('/readyz', { credentials: null })
    expect(ready.status).toBe(200)
    expect(ready.json).toEqual({ status: 'ready', reasons: [], warnings: [] })
    const alive = await server.call('/healthz', { credentials: null })
    expect(alive.json).toEqual({ status: 'ok' })
  })

  it('keeps everything over a second start', async () => {
    const first = await start({ PARLEY_PROJECT_ID: '', PARLEY_API_TOKEN: '' })
    const { projectId, apiToken, origin } = first.running.firstProject
    expect(origin).toBe('generated')
    expect(projectId).toMatch(/^[0-9a-f-]{36}$/)
    const credentials = { user: projectId, password: String(apiToken) }
    const { json: room } = await first.call('rooms', { credentials, method: 'POST', body: { name: 'kept' } })
    const next = (await first.call('rooms?page_size=1', { credentials })).json.links.self
    const authority = readFileSync(String(first.running.authorityFile))
    await stop(first)

    const second = await start({ PARLEY_PROJECT_ID: '', PARLEY_API_TOKEN: '' })
    expect(second.running.firstProject).toEqual({ projectId, apiToken: null, origin: 'kept' })
    expect((await second.call(`rooms/${room.id}`, { credentials })).json.name).toBe('kept')
    expect((await second.call(next, { credentials })).status).toBe(200)
    expect(readFileSync(String(second.running.authorityFile))).toEqual(authority)
  })

  it('takes a preset token in place of the one that was preset before', async () => {
    const first = await start({ PARLEY_API_TOKEN: 'the-first-token' })
    await stop(first)
    const second = await start({ PARLEY_API_TOKEN: 'the-second-token' })
    const status = async (password: string) =>
      (await second.call('rooms', { credentials: { user: second.projectId, password } })).status
    expect(await status('the-second-token')).toBe(200)
    expect(await status('the-first-token')).toBe(401)
  })

  it('stores nothing of a token but its hash', async () => {
    const server = await start({ PARLEY_API_TOKEN: 'a-token-to-look-for' })
    await stop(server)
    for (const file of ['parley.db', 'secrets/root.key']) {
      expect(readFileSync(join(dataDir, file)).includes('a-token-to-look-for')).toBe(false)
    }
  })

  it('refuses a data folder that another server has', async () => {
    await start()
    await expect(start()).rejects.toThrow(DataFolderUnusable)
  })

  it('says when the port is taken, and leaves nothing behind', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const port = String((other.address() as AddressInfo).port)
    const attempt = start({ PARLEY_PORT: port })
    await expect(attempt).rejects.toThrow(CannotListen)
    await expect(attempt).rejects.toThrow(/is taken.*PARLEY_PORT/)
    other.close()
    await start()
  })
})

describe('WebSockets', () => {
  it('are accepted on / and on /relay', async () => {
    const server = await start()
    for (const path of ['/', '/relay']) {
      const socket = new WebSocket(server.origin.replace('https', 'wss') + path, { ca: server.ca })
      await once(socket, 'open')
      socket.close()
      await once(socket, 'close')
    }
  })

  it('are refused elsewhere, in words', async () => {
    const server = await start()
    const socket = new WebSocket(`${server.origin.replace('https', 'wss')}/api/video/rooms`, {
      ca: server.ca,
    })
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(404)
    expect(response.headers['content-type']).toMatch(/json/)
    response.destroy()
  })
})

describe('behind a proxy that ends TLS', () => {
  it('believes the proxy that was named, and nobody else', async () => {
    const plain = (server: TestServer, headers: Record<string, string>) => {
      const url = `http://127.0.0.1:${server.running.address.port}/api/video/rooms`
      const authorization = `Basic ${Buffer.from(`${server.projectId}:${server.apiToken}`).toString('base64')}`
      return fetch(url, { headers: { authorization, ...headers } })
    }
    const alone = await start()
    expect((await plain(alone, { 'x-forwarded-proto': 'https' })).status).toBe(400)
    await stop(alone)

    const behind = await start({ PARLEY_TRUSTED_PROXIES: '127.0.0.0/8' })
    expect((await plain(behind, { 'x-forwarded-proto': 'https' })).status).toBe(200)
    expect((await plain(behind, { 'x-forwarded-proto': 'http' })).status).toBe(400)
    expect((await plain(behind, { 'x-forwarded-proto': 'https, http' })).status).toBe(400)
    expect((await plain(behind, {})).status).toBe(400)
    expect((await behind.call('rooms')).status).toBe(200)
    // The client reached the proxy without TLS.
    expect((await behind.call('rooms', { headers: { 'x-forwarded-proto': 'http' } })).status).toBe(400)
    const named = await plain(behind, {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'meet.example.org',
    })
    expect(named.status).toBe(200)
    const error = await fetch(`http://127.0.0.1:${behind.running.address.port}/nothing`, {
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'meet.example.org' },
    })
    const body = (await error.json()) as { errors: { url: string }[] }
    expect(body.errors[0]?.url).toMatch(/^https:\/\/meet\.example\.org\/errors#/)
  })
})

describe('stopping', () => {
  it('closes connections that are idle or silent, and frees the port', async () => {
    const server = await start()
    await server.call('rooms')
    const socket = new WebSocket(server.origin.replace('https', 'wss'), { ca: server.ca })
    await once(socket, 'open')
    const closed = once(socket, 'close')
    const { port } = server.running.address
    const begun = Date.now()
    await stop(server)
    await closed
    expect(Date.now() - begun).toBeLessThan(5000)
    const again = await start({ PARLEY_PORT: String(port) })
    expect((await again.call('/readyz')).status).toBe(200)
  })
})
