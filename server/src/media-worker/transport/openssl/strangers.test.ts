import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BINDING_SUCCESS, readStun, writeBindingRequest, writeBindingSuccess } from '../ice/stun.ts'
import { MediaPort } from './media-port.ts'
import { OpenSslConnection } from './openssl-connection.ts'

const rtc = { portRange: { begin: 42_260, end: 42_269 }, bindAddress: '127.0.0.1' }
const REMOTE = {
  usernameFragment: 'browser',
  password: 'known to the browser and to us',
  fingerprint: `sha-256 ${new Array(32).fill('AA').join(':')}`,
  setup: 'passive',
  candidates: [],
}
const soon = { timeout: 5000, interval: 20 }

let connection: OpenSslConnection
let stranger: Socket
let received: Buffer[]
let packets: Buffer[]

beforeEach(async () => {
  received = []
  packets = []
  connection = new OpenSslConnection(rtc, REMOTE, {
    onPacket: (packet) => packets.push(packet),
    onState: () => {},
  })
  stranger = createSocket('udp4')
  stranger.on('message', (datagram) => received.push(datagram))
  stranger.bind({ port: 0, address: '127.0.0.1' })
  await once(stranger, 'listening')
})
afterEach(() => {
  connection.close()
  MediaPort.release()
  stranger.close()
})

const port = () => MediaPort.of(rtc).port
const send = (datagram: Uint8Array) => stranger.send(datagram, port(), '127.0.0.1')

/** A check as the browser would make it. */
function check(password = connection.local.password): Buffer {
  return writeBindingRequest({
    transactionId: Buffer.alloc(12, 7),
    username: `${connection.local.usernameFragment}:${REMOTE.usernameFragment}`,
    password,
    priority: 1,
    tieBreaker: 1n,
    role: 'controlling',
    useCandidate: true,
  })
}

const answers = () => received.filter((datagram) => readStun(datagram)?.type === BINDING_SUCCESS).length
const others = () => received.filter((datagram) => !readStun(datagram))

test('strangers get no answer and do no harm, whatever they send', async () => {
  send(check('guessed'))
  const anything = fc.uint8Array({ minLength: 1, maxLength: 2200 })
  for (const first of [0, 1, 20, 22, 63, 64, 128, 191, 255]) {
    for (const datagram of fc.sample(anything, 30)) {
      datagram[0] = first
      send(datagram)
    }
  }
  // Answered last, so all the others have been handled.
  send(check())
  await vi.waitFor(() => expect(answers()).toBe(1), soon)
  expect(others()).toEqual([])
  expect(packets).toEqual([])
  expect(connection.state).toBe('connecting')
})

test('nothing but checks goes to an address before it has answered one', async () => {
  send(check())
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(2), soon)
  // The beginning of a ClientHello, as an attacker would send it with the source of his victim.
  send(Buffer.from('16feff0000000000000000000c0100000000000000000000', 'hex'))
  send(check())
  await vi.waitFor(() => expect(answers()).toBe(2), soon)
  expect(others()).toEqual([])
  for (const datagram of received) {
    const message = readStun(datagram)!
    if (message.type !== BINDING_SUCCESS)
      send(writeBindingSuccess(message.transactionId, '127.0.0.1', port(), REMOTE.password))
  }
  // Now our handshake begins: it has proved that it receives there.
  await vi.waitFor(() => expect(others()[0]?.[0]).toBe(22), soon)
})

test('what a stranger sends from a known address is not media, and does not end the handshake', async () => {
  send(check())
  await vi.waitFor(() => expect(received.length).toBeGreaterThan(1), soon)
  const request = received.find((datagram) => readStun(datagram)?.type !== BINDING_SUCCESS)!
  send(writeBindingSuccess(readStun(request)!.transactionId, '127.0.0.1', port(), REMOTE.password))
  await vi.waitFor(() => expect(others()).not.toEqual([]), soon)
  const anything = fc.uint8Array({ minLength: 1, maxLength: 1500 })
  for (const first of [20, 22, 23, 63, 128, 191]) {
    for (const datagram of fc.sample(anything, 20)) {
      datagram[0] = first
      send(datagram)
    }
  }
  const before = answers()
  send(check())
  await vi.waitFor(() => expect(answers()).toBe(before + 1), soon)
  expect(packets).toEqual([])
  expect(connection.state).toBe('connecting')
})
