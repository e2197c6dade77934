import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { SERVER } from '../../audit/audit.ts'
import { newId } from '../../ids.ts'
import { createApiTokens } from '../../projects/api-tokens.ts'
import { createProjects } from '../../projects/projects.ts'
import { removalOnDisk } from '../../testing/removal-on-disk.ts'
import { sampleRecording } from '../../testing/sample-records.ts'
import {
  startTestServer,
  type TestAnswer,
  type TestRequest,
  type TestServer,
} from '../../testing/server-for-tests.ts'

const DOMAIN = 'meet.example.org'
const HERE = `acme.${DOMAIN}`
/** Another space, the service domain itself, and hosts outside of it. The server's certificate covers all of them. */
const ELSEWHERE = [`globex.${DOMAIN}`, DOMAIN, 'localhost', 'www.example.org']

let server: TestServer
let credentials: { user: string; password: string }

beforeAll(async () => {
  server = await startTestServer({
    PARLEY_SERVICE_DOMAIN: DOMAIN,
    PARLEY_PUBLIC_URL: 'https://www.example.org',
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '0',
  })
  const { storage } = server
  const clock = {
    now: () => Date.now(),
    monotonicMs: () => performance.now(),
    after: () => ({ cancel() {} }),
  }
  const recordingsFolder = join(server.dataDir, 'recordings')
  const projects = createProjects({
    storage,
    clock,
    actor: SERVER,
    removal: removalOnDisk(storage, recordingsFolder),
  })
  const { id: user } = await projects.create('Acme', undefined, 'Acme')
  const { secret } = await createApiTokens({ storage, clock, actor: SERVER }).create(user, 'all', [
    'video',
    'chat',
    'calling',
  ])
  credentials = { user, password: secret }
})
afterAll(() => server.stop())

const at = (host: string, path: string, options: TestRequest = {}): Promise<TestAnswer> =>
  server.call(path, { credentials, ...options, headers: { host, ...options.headers } })

const make = (path: string, body: object) => at(`${HERE}:8443`, path, { method: 'POST', body })

/** The answer to a client that connects to a host with a token. */
async function connectAt(host: string, token: string): Promise<string> {
  const socket = new WebSocket(server.origin.replace('https', 'wss'), { ca: server.ca, headers: { host } })
  await once(socket, 'open')
  const params = { version: { major: 3, minor: 0, revision: 0 }, authentication: { jwt_token: token } }
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: newId(), method: 'signalwire.connect', params }))
  const [data] = await once(socket, 'message')
  socket.close()
  const { error } = JSON.parse(String(data))
  return error ? error.message : 'connected'
}

describe('spaces', () => {
  it.each([
    'rooms',
    '/api/fabric/addresses',
    '/api/messaging/messages',
    '/api/laml/2010-04-01/Accounts/ID/Calls',
  ])('let the credentials of a project work at their own host alone: %s', async (path) => {
    const target = path.replace('ID', credentials.user)
    expect((await at(HERE, target)).status).not.toBe(401)
    for (const host of ELSEWHERE) {
      const answer = await at(host, target)
      expect(answer.status, host).toBe(401)
      expect(answer.headers['www-authenticate']).toBeTruthy()
      expect(answer.headers['ratelimit-limit']).toBeUndefined()
    }
  })

  it('are told apart without regard to case, port and a dot at the end', async () => {
    for (const host of [HERE.toUpperCase(), `${HERE}:8443`, `${HERE}.`]) {
      expect((await at(host, 'rooms')).status, host).toBe(200)
    }
  })

  it('keep out the projects that are in none', async () => {
    const { projectId: user, apiToken: password } = server
    const first = { credentials: { user, password } }
    for (const host of [DOMAIN, 'localhost', '127.0.0.1', 'www.example.org']) {
      expect((await at(host, 'rooms', first)).status, host).toBe(200)
    }
    expect((await at(HERE, 'rooms', first)).status).toBe(401)
  })

  it('stand in the links and tokens that their projects are given', async () => {
    const refused = await make('rooms', { name: '?' })
    expect(refused.json.errors[0].url).toBe(`https://${HERE}:8443/errors#invalid_parameter`)
    const { token } = (await make('room_tokens', { room_name: 'r' })).json
    const header = JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString())
    expect(header.ch).toBe(`${HERE}:8443`)
    const outside = await at('localhost', 'rooms', { credentials: null })
    expect(outside.json.errors[0].url).toMatch(/^https:\/\/www\.example\.org\/errors/)
  })

  it('are where subscribers and guests are signed in', async () => {
    await make('rooms', { name: 'lobby' })
    const made = (await make('/api/fabric/subscribers/tokens', { reference: 'ada' })).json
    const [{ id }] = (await at(HERE, '/api/fabric/addresses?type=room')).json.data
    const bearer = (token: string) => ({ credentials: null, headers: { authorization: `Bearer ${token}` } })
    const guest = await at(HERE, '/api/fabric/guests/tokens', {
      method: 'POST',
      body: { allowed_addresses: [id] },
      ...bearer(made.token),
    })
    for (const token of [made.token, guest.json.token]) {
      expect((await at(HERE, '/api/fabric/addresses', bearer(token))).status).toBe(200)
      for (const host of ELSEWHERE) {
        expect((await at(host, '/api/fabric/addresses', bearer(token))).status, host).toBe(401)
      }
    }
  })

  it('are where clients connect, with tokens of every kind', async () => {
    await make('rooms', { name: 'hall' })
    const conference = (await make('conferences', { display_name: 'Town hall' })).json
    const tokens = (await at(HERE, `conferences/${conference.id}/conference_tokens`)).json.data
    const chat = await make('/api/chat/tokens', { ttl: 5, channels: { c: { read: true } } })
    const room = await make('room_tokens', { room_name: 'hall' })
    for (const token of [room.json.token, tokens[0].token, chat.json.token]) {
      expect(await connectAt(`${HERE}:8443`, token)).toBe('connected')
      for (const host of ELSEWHERE) expect(await connectAt(host, token)).toMatch(/another space/)
    }
  })

  it('are where the links to recordings work', async () => {
    const now = Date.now()
    const recording = sampleRecording({
      project_id: credentials.user,
      room_session_id: newId(),
      status: 'completed',
      created_at: now,
    })
    await server.storage.recordings.insert(recording)
    writeFileSync(join(server.dataDir, 'recordings', recording.file), 'media')
    const { uri } = (await at(HERE, `room_recordings/${recording.id}`)).json
    expect(new URL(uri).host).toBe(HERE)
    const { pathname, search } = new URL(uri)
    const fetched = await at(HERE, pathname + search, { credentials: null })
    expect([fetched.status, fetched.text]).toEqual([200, 'media'])
    for (const host of ELSEWHERE) {
      expect((await at(host, pathname + search, { credentials: null })).status, host).toBe(403)
    }
  })

  it('can be changed, at once', async () => {
    const { storage } = server
    await storage.projects.update(credentials.user, { space: 'globex' })
    expect((await at(HERE, 'rooms')).status).toBe(401)
    expect((await at(`globex.${DOMAIN}`, 'rooms')).status).toBe(200)
    await storage.projects.update(credentials.user, { space: 'acme' })
    expect((await at(HERE, 'rooms')).status).toBe(200)
  })

  it('are nothing where there is no service domain', async () => {
    const plain = await startTestServer()
    try {
      await plain.storage.projects.update(plain.projectId, { space: 'acme' })
      for (const host of ['localhost', '127.0.0.1']) {
        expect((await plain.call('rooms', { headers: { host } })).status, host).toBe(200)
      }
    } finally {
      await plain.stop()
    }
  })
})
