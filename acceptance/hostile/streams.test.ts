import { mkdtemp, rm } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { RtmpServer } from '../../server/src/testing/media/rtmp-server.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { type Page, Rest } from '../testing/rest.ts'
import { freePort, ServerProcess } from '../testing/server-process.ts'
import { TcpRelay } from '../testing/tcp-relay.ts'
import { BLUE, RED, useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

/**
 * Longer than the first pauses of a back-off that doubles from one second (1 + 2 + 4 + 8). Its next pause would be 16
 * s.
 */
const OUTAGE_MS = 17_000
/**
 * Limit in milliseconds for a stream to be back after its server is, and for noticing that a server takes nothing any more.
 */
const LIMIT_MS = 10_000

const deployment = useDeployment({
  name: 'hostile-streams',
  participantsLive: 'for all tests',
  env: { PARLEY_ALLOW_PRIVATE_TARGETS: '1', PARLEY_DENIED_TARGETS: '8.8.8.0/24, 2001:db8::/32' },
})
const meeting = useMeetingInProgress(deployment, [RED])

interface Stream {
  id: string
  status: string
  live_since: string | null
  retrying_since: string | null
  last_error: string | null
}

let folder: string
let roomId: string
let sessionId: string
const servers: RtmpServer[] = []

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'parley-rtmp-'))
  const name = deployment.roomName()
  roomId = (await deployment.rest.createRoom({ name })).id
  // A stream with the usual bitrate. The bitrate decides how soon the buffers between the two systems are full.
  sessionId = (await deployment.enter(BLUE, { room_name: name }, { source: 'lively' })).roomSessionId
})
// A room may have only a few streams. Those that one test leaves must not make the next one fail.
afterEach(async () => {
  const path = `/rooms/${roomId}/streams`
  const { body } = await deployment.rest.send<Page<Stream>>('GET', path)
  for (const { id } of body.data) await remove(id)
})
afterAll(async () => {
  for (const server of servers) await server.kill()
  await rm(folder, { recursive: true, force: true })
})

async function serve(port?: number): Promise<RtmpServer> {
  const server = await RtmpServer.start(path.join(folder, `${servers.length}.flv`), port)
  servers.push(server)
  return server
}

async function addStream(url: string): Promise<Stream> {
  const { status, body } = await deployment.rest.send<Stream>('POST', `/rooms/${roomId}/streams`, { url })
  expect(status).toBe(201)
  return body
}

const read = async (id: string) => (await deployment.rest.send<Stream>('GET', `/streams/${id}`)).body
const remove = (id: string) => deployment.rest.send('DELETE', `/streams/${id}`)

const until = (id: string, status: string, timeoutMs = 20_000) =>
  eventually(
    `stream ${status}`,
    () => read(id),
    (stream) => stream.status === status,
    { timeoutMs },
  )

test('a stream is back soon after its server, however long that was away', { timeout: 90_000 }, async () => {
  const port = await freePort()
  const first = await serve(port)
  const { id } = await addStream(`rtmp://127.0.0.1:${port}/app/key`)
  const live = await until(id, 'live')
  expect(live.live_since).not.toBeNull()
  await meeting.goesOnDuring(async () => {
    await first.kill()
    const away = await until(id, 'retrying')
    expect(away).toMatchObject({ live_since: null, last_error: expect.stringMatching(/closed|unreachable/) })
    expect(away.retrying_since).not.toBeNull()
    await timePasses(OUTAGE_MS, 'the server of the stream is away')
    const backAtMs = performance.now()
    await serve(port)
    expect(await until(id, 'live')).toMatchObject({ retrying_since: null })
    expect(performance.now() - backAtMs).toBeLessThan(LIMIT_MS)
  })
  await remove(id)
  const events = await deployment.rest.sessionEvents(sessionId)
  expect(events.map(({ name }) => name).filter((name) => name.startsWith('stream'))).toEqual([
    'stream.started',
    'stream.interrupted',
    'stream.resumed',
    'stream.ended',
  ])
})

test('a server that stops reading is noticed', { timeout: 60_000 }, async () => {
  const server = await serve()
  const relay = await TcpRelay.open({ port: server.port })
  try {
    const { id } = await addStream(`rtmp://127.0.0.1:${relay.port}/app/key`)
    await until(id, 'live')
    await server.receiving()
    await meeting.goesOnDuring(async () => {
      relay.freeze()
      // The system at the other end goes on taking data until its buffer is full.
      let taken = 0
      let takenAtMs = performance.now()
      const look = async () => {
        const unread = await relay.unreadBytes()
        if (unread > taken) takenAtMs = performance.now()
        taken = Math.max(taken, unread)
        return read(id)
      }
      const stream = await eventually('a stall', look, ({ last_error }) => last_error === 'stalled', {
        timeoutMs: 30_000,
      })
      expect(taken).toBeGreaterThan(0)
      expect(performance.now() - takenAtMs).toBeLessThan(LIMIT_MS)
      expect(stream.live_since).toBeNull()
    })
    await remove(id)
  } finally {
    await relay.close()
  }
})

test('failed connects have one reason, whatever answers', async () => {
  const silent = await TcpRelay.open({ port: await freePort() })
  const { hostname } = new URL(deployment.access.baseUrl)
  try {
    const streams = await Promise.all([
      addStream(`rtmp://127.0.0.1:${await freePort()}/app/key`),
      addStream(`rtmp://127.0.0.1:${silent.port}/app/key`),
      addStream('rtmp://nobody-knows.invalid/app/key'),
      addStream(`rtmps://${hostname}:${new URL(deployment.access.baseUrl).port}/app/key`),
    ])
    const seen = await Promise.all(streams.map(({ id }) => until(id, 'retrying')))
    expect(new Set(seen.map(({ last_error }) => last_error))).toEqual(new Set(['unreachable']))
    await Promise.all(streams.map(({ id }) => remove(id)))
  } finally {
    await silent.close()
  }
})

test('what the operator denies stays denied when private addresses are allowed', async () => {
  for (const host of ['8.8.8.8', '[2001:db8::1]', '[::ffff:8.8.8.8]']) {
    const url = `rtmp://${host}/app/key`
    const answer = await deployment.rest.send('POST', `/rooms/${roomId}/streams`, { url })
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ code: 'url_is_unsafe' }] } })
  }
})

test("the server's own addresses are no destinations", async () => {
  const server = await ServerProcess.start('hostile-streams-own', {
    PARLEY_MEDIA_WORKERS: '1',
    PARLEY_ANNOUNCED_IP: '203.0.113.77',
  })
  const rest = new Rest(server.access)
  try {
    const { id } = await rest.createRoom({ name: 'own-addresses' })
    const own = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
    const hosts = own
      .filter(({ family }) => family === 'IPv4')
      .map(({ address }) => address)
      .concat('203.0.113.77', '[::ffff:203.0.113.77]')
    for (const host of hosts) {
      const answer = await rest.send('POST', `/rooms/${id}/streams`, { url: `rtmp://${host}/app/key` })
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ code: 'url_is_unsafe' }] } })
    }
  } finally {
    await rest.close()
    await server.stop()
    await server.remove()
  }
})
