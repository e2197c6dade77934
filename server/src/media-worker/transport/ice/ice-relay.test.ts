import { randomBytes } from 'node:crypto'
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { IceDescription } from '../sdp/offer.ts'
import { releaseSharedPorts } from '../shared-port.ts'
import { IceRelay } from './ice-relay.ts'
import { RelayPort } from './relay-port.ts'
import {
  BINDING_REQUEST,
  BINDING_SUCCESS,
  readStun,
  writeBindingRequest,
  writeBindingSuccess,
} from './stun.ts'

const rtc = { portRange: { begin: 42_220, end: 42_229 }, bindAddress: '127.0.0.1' }
const native: IceDescription = {
  usernameFragment: 'native',
  password: 'native-password-native-password',
  fingerprint: 'sha-256 00',
  setup: 'active',
  candidates: [],
}
let browsers = 0
let relays: IceRelay[]
let sockets: Socket[]

beforeEach(() => {
  relays = []
  sockets = []
})
afterEach(() => {
  for (const relay of relays) relay.close()
  for (const socket of sockets) socket.close()
  RelayPort.release()
  releaseSharedPorts()
})

/** A relay, and the browser in front of it. */
async function openRelay() {
  const browser = {
    ...native,
    usernameFragment: `browser${browsers}`,
    password: `password-of-browser-${browsers}`,
    fingerprint: `sha-256 ${browsers++}`,
  }
  const relay = (await IceRelay.open(rtc, native, browser))!
  relays.push(relay)
  return { relay, browser, ours: relay.begin(browser), port: (await RelayPort.of(rtc))! }
}

type Opened = Awaited<ReturnType<typeof openRelay>>

const checkOf = ({ ours, browser }: Opened) =>
  writeBindingRequest({
    transactionId: randomBytes(12),
    username: `${ours.usernameFragment}:${browser.usernameFragment}`,
    password: ours.password,
    priority: 1,
    tieBreaker: 1n,
    role: 'controlling',
    useCandidate: true,
  })

/** A socket that keeps what it receives. */
async function openSocket() {
  const socket = createSocket('udp4')
  sockets.push(socket)
  const received: Buffer[] = []
  socket.on('message', (datagram) => received.push(datagram))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const from: RemoteInfo = { address: '127.0.0.1', port: socket.address().port, family: 'IPv4', size: 0 }
  /** Waits for a STUN message of this type, from now on or before. */
  const stun = async (type: number) => {
    for (;;) {
      const found = received.map(readStun).find((message) => message?.type === type)
      if (found) return found
      await once(socket, 'message')
    }
  }
  return { socket, received, from, stun }
}

test('a datagram whose source is port 0 is dropped, however authentic it is', async () => {
  const opened = await openRelay()
  const there = await openSocket()
  opened.port.onDatagram(checkOf(opened), { ...there.from, port: 0 })
  opened.port.send(Buffer.from('nowhere to go'), { ...there.from, port: 0 })
  expect(opened.relay.isInUse({ ...there.from, port: 0 })).toBe(false)
  opened.port.onDatagram(checkOf(opened), there.from)
  expect((await there.stun(BINDING_SUCCESS)).type).toBe(BINDING_SUCCESS)
})

test('a browser that answers from an address gets its media there', async () => {
  const opened = await openRelay()
  const there = await openSocket()
  opened.port.onDatagram(checkOf(opened), there.from)
  const check = await there.stun(BINDING_REQUEST)
  expect(opened.relay.destination).toBeNull()
  // Chromium signs with a password that nobody knows.
  const answer = writeBindingSuccess(check.transactionId, '127.0.0.1', 1, 'a password of its own')
  opened.port.onDatagram(answer, there.from)
  expect(opened.relay.destination).toMatchObject({ port: there.from.port })
})

test('whoever forges the source of a check has no media sent there', async () => {
  const opened = await openRelay()
  const victim = await openSocket()
  opened.port.onDatagram(checkOf(opened), victim.from)
  opened.port.onDatagram(writeBindingSuccess(randomBytes(12), '127.0.0.1', 1, 'guessed'), victim.from)
  await victim.stun(BINDING_REQUEST)
  expect(opened.relay.destination).toBeNull()
  const sentBytes = victim.received.reduce((sum, { length }) => sum + length, 0)
  expect(sentBytes).toBeLessThan(3 * checkOf(opened).length)
})

test("a forged check does not take another browser's address away", async () => {
  const [victim, attacker] = [await openRelay(), await openRelay()]
  const there = await openSocket()
  victim.port.onDatagram(checkOf(victim), there.from)
  expect(victim.relay.isInUse(there.from)).toBe(true)
  attacker.port.onDatagram(checkOf(attacker), there.from)
  expect(attacker.relay.isInUse(there.from)).toBe(false)
  // It is free again with its call.
  victim.relay.close()
  attacker.port.onDatagram(checkOf(attacker), there.from)
  expect(attacker.relay.isInUse(there.from)).toBe(true)
})

test('addresses of a browser are remembered up to a number', async () => {
  const opened = await openRelay()
  const { from } = await openSocket()
  for (let port = 50_000; port < 50_200; port++) opened.port.onDatagram(checkOf(opened), { ...from, port })
  const kept = Array.from({ length: 200 }, (_, i) => opened.relay.isInUse({ ...from, port: 50_000 + i }))
  expect(kept.filter(Boolean)).toHaveLength(64)
})
