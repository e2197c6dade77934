import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Agent, request } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { mintRoomToken } from '../../server/src/rooms/room-token.ts'
import { loadServerSecrets } from '../../server/src/secrets/server-secrets.ts'
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { sampleRoomTokenGrant } from '../../server/src/testing/sample-room-token-grant.ts'
import { eventually } from '../testing/eventually.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'
import { useMeetingInProgress } from './meeting-in-progress.ts'

const MAX_CONNECTIONS = 300
const PER_ADDRESS = 150
const PER_TOKEN = 20
/** An address of this machine that the server trusts as a proxy. */
const PROXY = '127.0.0.99'

const deployment = useDeployment({
  name: 'hostile-connections',
  participantsLive: 'for all tests',
  env: {
    PARLEY_MAX_CONNECTIONS: String(MAX_CONNECTIONS),
    PARLEY_CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS),
    PARLEY_CONNECTIONS_PER_TOKEN: String(PER_TOKEN),
    PARLEY_TRUSTED_PROXIES: PROXY,
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '20',
  },
})
const meeting = useMeetingInProgress(deployment, [RED])

const sockets: Socket[] = []
const clients: RelayClient[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const client of clients.splice(0)) client.drop()
})

const port = () => Number(new URL(deployment.access.baseUrl).port)

/** Opens a TCP connection from an address of the loopback network. */
async function knock(localAddress: string): Promise<Socket> {
  const socket = connect({ port: port(), host: '127.0.0.1', localAddress })
  sockets.push(socket)
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  return socket
}

interface Way {
  localAddress?: string
  headers?: Record<string, string>
}

const optionsOf = ({ localAddress = '127.0.0.1', headers = {} }: Way) => ({
  ca: deployment.access.ca ?? '',
  servername: 'localhost',
  localAddress,
  headers,
})

const url = () => `wss://127.0.0.1:${port()}/`

/** Connects a client that signs in. Rejects with the server's message. */
async function signIn(token: string, way: Way = {}, resume: Record<string, unknown> = {}) {
  const client = await RelayClient.connect(url(), token, resume, optionsOf(way))
  clients.push(client)
  return client
}

/** Does something many times, a few at once, because the machine also runs the browsers of the meeting. */
async function often<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  while (results.length < count) {
    const wave = Array.from({ length: Math.min(8, count - results.length) }, (_, i) =>
      work(results.length + i),
    )
    results.push(...(await Promise.all(wave)))
  }
  return results
}

const outcomeOf = (attempt: Promise<unknown>): Promise<string> => attempt.then(() => 'in', String)

/** Status of a request with Basic credentials, from an address of the loopback network, on a separate connection. */
async function statusWith(password: string, localAddress = '127.0.0.1'): Promise<number> {
  const { projectId, baseUrl, ca = '' } = deployment.access
  const agent = new Agent({ localAddress, connect: { ca, servername: 'localhost' } })
  const authorization = `Basic ${Buffer.from(`${projectId}:${password}`).toString('base64')}`
  try {
    const target = new URL('/api/video/rooms', baseUrl.replace('localhost', '127.0.0.1'))
    const { statusCode, body } = await request(target, { headers: { authorization }, dispatcher: agent })
    await body.dump()
    return statusCode
  } finally {
    await agent.destroy()
  }
}

/** A token that only the server itself can create: the API creates none that expires soon. */
function tokenExpiringIn(seconds: number, roomName: string): Promise<string> {
  const { roomTokenKey } = loadServerSecrets(deployment.server)
  const grant = sampleRoomTokenGrant({
    project_id: deployment.access.projectId,
    room_name: roomName,
    permissions: ['room.self.audio_mute'],
    issued_at: Date.now() - (24 * 3600 - seconds) * 1000,
  })
  return mintRoomToken(grant, roomTokenKey, { host: 'localhost' })
}

test('connections that begin and do not go on are closed within fifteen seconds', async () => {
  await meeting.goesOnDuring(async () => {
    const beginnings = ['', '\x16', 'G', 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ']
    const all = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const socket = await knock(`127.0.0.${2 + (index % 3)}`)
        socket.write(beginnings[index % beginnings.length] ?? '', 'latin1')
        return socket
      }),
    )
    // Single bytes during the handshake must not extend the time limit.
    const dripping = await knock('127.0.0.5')
    dripping.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
    const drip = setInterval(() => dripping.write(Buffer.from([1])), 1000)
    const unauthenticated = await RelayClient.open(url(), optionsOf({}))
    const startedAt = performance.now()
    const countOpen = async () =>
      [...all, dripping].filter(({ closed, readableEnded }) => !closed && !readableEnded).length +
      (unauthenticated.closeCode === null ? 1 : 0)
    await eventually('all are closed', countOpen, (count) => count === 0, { timeoutMs: 20_000 })
    clearInterval(drip)
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  })
})

test('who floods the server with connections keeps nobody out, and throws nobody out', async () => {
  await meeting.goesOnDuring(async () => {
    const member = await signIn(await deployment.rest.createRoomToken({ room_name: deployment.roomName() }))
    for (let i = 0; i < 3 * MAX_CONNECTIONS; i++) await knock(`127.0.0.${10 + (i % 8)}`)
    // The system accepts connections before the server sees them, and the test learns later which the server closed.
    await eventually(
      'no more are open than may be',
      async () => sockets.filter(({ closed }) => !closed).length,
      (open) => open <= MAX_CONNECTIONS,
    )
    expect(await statusWith(deployment.access.apiToken, '127.0.0.30')).toBe(200)
    const token = await deployment.rest.createRoomToken({ room_name: meeting.roomName })
    await signIn(token, { localAddress: '127.0.0.30' })
    expect(member.closeCode).toBeNull()
  })
  const lines = deployment.server.logLines().filter((line) => line.includes('PARLEY_MAX_CONNECTIONS'))
  expect(lines.length).toBeGreaterThanOrEqual(1)
  expect(lines.length).toBeLessThanOrEqual(2)
})

test('an audience token has so many sockets from one address; others sign in beside them', async () => {
  await meeting.goesOnDuring(async () => {
    const room_name = deployment.roomName()
    const shared = await deployment.rest.createRoomToken({ room_name, join_as: 'audience' })
    const here = { localAddress: '127.0.0.40' }
    const outcomes = await often(PER_TOKEN + 20, () => outcomeOf(signIn(shared, here)))
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(PER_TOKEN)
    for (const refusal of outcomes.filter((outcome) => outcome !== 'in')) {
      expect(refusal).toMatch(/Too many connections from your address with this token/)
    }
    const own = await deployment.rest.createRoomToken({ room_name })
    await signIn(own, here)
    await signIn(shared, { localAddress: '127.0.0.41' })
  })
})

test('behind a proxy, the address of the client counts, and not that of the proxy', async () => {
  await meeting.goesOnDuring(async () => {
    const shared = await deployment.rest.createRoomToken({ room_name: deployment.roomName() })
    const by = (client: string): Way => ({
      localAddress: PROXY,
      headers: { 'x-forwarded-for': client, 'x-forwarded-proto': 'https' },
    })
    const count = PER_TOKEN + 2
    const outcomes = await often(count, () => outcomeOf(signIn(shared, by('192.0.2.1'))))
    expect(outcomes.filter((outcome) => outcome === 'in')).toHaveLength(PER_TOKEN)
    await often(PER_TOKEN, () => signIn(shared, by('192.0.2.2')))
    // A client that is not a proxy cannot pretend to have another address.
    const forged = { ...by('192.0.2.77'), localAddress: '127.0.0.50' }
    await often(PER_TOKEN, () => signIn(shared, forged))
    await expect(signIn(shared, { ...by('192.0.2.78'), localAddress: '127.0.0.50' })).rejects.toThrow(
      /Too many/,
    )
  })
})

test('wrong credentials of every kind do not lock the good ones of their address out', async () => {
  await meeting.goesOnDuring(async () => {
    const here = { localAddress: '127.0.0.60' }
    const guesses = await often(80, (index) => statusWith(`wrong ${index}`, here.localAddress))
    expect(guesses.filter((status) => status === 429).length).toBeGreaterThan(0)
    expect(new Set(guesses)).toEqual(new Set([401, 429]))
    // The counter is the same: a wrong token over a WebSocket is refused because of all those guesses.
    expect(await outcomeOf(signIn('nonsense', here))).toMatch(/Too many wrong credentials/)
    const token = await deployment.rest.createRoomToken({ room_name: deployment.roomName() })
    await signIn(token, here)
    expect(await statusWith(deployment.access.apiToken, here.localAddress)).toBe(200)
  })
  const lines = deployment.server.logLines().filter((line) => line.includes('PARLEY_FAILED_SIGN_INS'))
  expect(lines.length).toBeLessThanOrEqual(2)
})

test('a socket on which one token after the other is tried is closed', async () => {
  await meeting.goesOnDuring(async () => {
    const guesser = await RelayClient.open(url(), optionsOf({ localAddress: '127.0.0.61' }))
    for (let i = 0; i < 5; i++) {
      await guesser.request('signalwire.connect', { authentication: { jwt_token: `guess ${i}` } })
    }
    expect(await guesser.closed()).toBe(1008)
  })
})

test('an expired room token brings its own client back to its call, and nobody else', async () => {
  await meeting.goesOnDuring(async () => {
    const roomName = deployment.roomName()
    const token = await tokenExpiringIn(3, roomName)
    const other = await tokenExpiringIn(3, roomName)
    const ada = await signIn(token)
    await ada.join()
    const { authorization_state } = await ada.event('signalwire.authorization.state', { since: 1 })
    const resume = { protocol: ada.session.protocol, authorization_state }
    const attempt = () => outcomeOf(signIn(other))
    await eventually('the tokens expire', attempt, (outcome) => outcome.includes('expired'))
    // Tests somebody who shares the token, and somebody with another token for the room.
    await expect(signIn(token, {}, { protocol: ada.session.protocol })).rejects.toThrow(/expired/)
    await expect(signIn(other, {}, resume)).rejects.toThrow(/expired/)
    expect(ada.closeCode).toBeNull()
    ada.drop()
    const again = await signIn(token, {}, resume)
    expect(again.session.protocol).toBe(ada.session.protocol)
  })
})

test('the host that one client asks for stands in no link of another', async () => {
  await meeting.goesOnDuring(async () => {
    const room_name = deployment.roomName()
    await deployment.rest.createRoom({ name: room_name, enable_room_previews: true })
    const enter = async (host: string) => {
      const client = await signIn(await deployment.rest.createRoomToken({ room_name }), { headers: { host } })
      await client.join()
      const { room_session } = await client.event('video.room.subscribed')
      return (room_session as { preview_url: string }).preview_url
    }
    expect(await enter('evil.example.org')).toMatch(/^https:\/\/evil\.example\.org\//)
    expect(await enter(`localhost:${port()}`)).toMatch(new RegExp(`^https://localhost:${port()}/`))
    expect(await enter('evil.example.org/x?"<script>')).toMatch(new RegExp(`^https://localhost:${port()}/`))
  })
})
