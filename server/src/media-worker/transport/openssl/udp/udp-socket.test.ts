import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { constants } from 'node:os'
import fc from 'fast-check'
import koffi from 'koffi'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Memory } from '../memory.ts'
import { SendQueue } from './send-queue.ts'
import { readSource, SocketAddress, sourceKey } from './socket-address.ts'
import { libc, MSGHDR } from './socket-calls.ts'
import { UdpSocket } from './udp-socket.ts'

const soon = { timeout: 5000, interval: 10 }
const open: { close(): void }[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const each of open.splice(0)) each.close()
})

interface Received {
  bytes: Buffer
  from: { address: string; port: number } | null
  key: number | string
}

function listen(family: 4 | 6, port = 0, address?: string): { socket: UdpSocket; received: Received[] } {
  const received: Received[] = []
  const socket = UdpSocket.open(family, port, address, (memory, at, length, sources, sourceAt) =>
    received.push({
      bytes: Buffer.from(memory.bytes.subarray(at, at + length)),
      from: readSource(sources.bytes, sourceAt),
      key: sourceKey(sources.bytes, sourceAt),
    }),
  )
  if (typeof socket === 'string') throw new Error(socket)
  open.push(socket)
  return { socket, received }
}

async function peer(family: 4 | 6): Promise<{ socket: Socket; port: number; received: Buffer[] }> {
  const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
  const received: Buffer[] = []
  socket.on('message', (datagram) => received.push(datagram))
  socket.bind({ port: 0, address: LOOPBACK[family] })
  await once(socket, 'listening')
  open.push({ close: () => socket.close() })
  return { socket, port: socket.address().port, received }
}

const LOOPBACK = { 4: '127.0.0.1', 6: '::1' }

/** So that each datagram can be told from the others. */
function numbered(count: number, bytes: number, lastBytes = bytes): Memory {
  const memory = new Memory((count - 1) * bytes + lastBytes)
  for (let i = 0; i < count; i++) memory.bytes.fill(i, i * bytes)
  return memory
}

describe.each([4, 6] as const)('a socket for IPv%i', (family) => {
  test('receives bursts, and knows where they come from', async () => {
    const { socket, received } = listen(family)
    const { socket: other, port } = await peer(family)
    for (let i = 0; i < 100; i++) other.send(Buffer.alloc(i + 1, i), socket.port, LOOPBACK[family])
    await vi.waitFor(() => expect(received).toHaveLength(100), soon)
    expect(received.map(({ bytes }) => bytes.length).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    expect(received.every(({ bytes }) => bytes.every((byte) => byte === bytes.length - 1))).toBe(true)
    expect(new Set(received.map(({ key }) => key))).toEqual(
      new Set([new SocketAddress(LOOPBACK[family], port).key]),
    )
    expect(new Set(received.map(({ from }) => from?.port))).toEqual(new Set([port]))
  })

  test('sends one datagram, or several at once with a shorter last one', async () => {
    const { socket } = listen(family)
    const { port, received } = await peer(family)
    const to = new SocketAddress(LOOPBACK[family], port)
    expect(socket.send(numbered(1, 300), 0, 300, 0, to)).toBe(true)
    const several = numbered(12, 1200, 700)
    expect(socket.send(several, 0, several.length, 1200, to)).toBe(true)
    await vi.waitFor(() => expect(received).toHaveLength(13), soon)
    expect(received.map(({ length }) => length)).toEqual([300, ...new Array(11).fill(1200), 700])
    expect(received.slice(1).map((datagram) => datagram[0])).toEqual(Array.from({ length: 12 }, (_, i) => i))
  })

  test('sends one by one what the system does not cut up', async () => {
    const { socket } = listen(family)
    const { port, received } = await peer(family)
    // More than any kernel takes in one call.
    const many = numbered(200, 20)
    expect(socket.send(many, 0, many.length, 20, new SocketAddress(LOOPBACK[family], port))).toBe(true)
    await vi.waitFor(() => expect(received).toHaveLength(200), soon)
    expect(received.map((datagram) => datagram[0])).toEqual(Array.from({ length: 200 }, (_, i) => i))
  })

  test('passes over datagrams of no or too many bytes', async () => {
    const { socket, received } = listen(family)
    const { socket: other } = await peer(family)
    for (let i = 0; i < 40; i++) {
      other.send(Buffer.alloc(4000), socket.port, LOOPBACK[family])
      other.send(Buffer.alloc(0), socket.port, LOOPBACK[family])
    }
    other.send(Buffer.alloc(2048), socket.port, LOOPBACK[family])
    await vi.waitFor(() => expect(received.map(({ bytes }) => bytes.length)).toEqual([2048]), soon)
  })

  test('has its port alone, and gives it back', async () => {
    const { socket } = listen(family)
    expect(UdpSocket.open(family, socket.port, undefined, () => {})).toBe('taken')
    socket.close()
    socket.close()
    const memory = numbered(1, 20)
    expect(socket.send(memory, 0, 20, 0, new SocketAddress(LOOPBACK[family], 9))).toBe(false)
    await vi.waitFor(() => listen(family, socket.port), soon)
  })
})

const { EAGAIN, EIO, ENETUNREACH, ENOBUFS, EPERM } = constants.errno

/** The system refuses so many of the next datagrams, or of those that it would have to cut up. */
function refuse(calls: number, error: number, onlySegmented = false): void {
  const sendmsg = libc.sendmsg
  let left = calls
  vi.spyOn(libc, 'sendmsg').mockImplementation((socket, message, flags) => {
    const isSegmented = Number(koffi.decode(BigInt(message + MSGHDR.controlLength), 'uint64_t')) > 0
    if (left === 0 || (onlySegmented && !isSegmented)) return sendmsg(socket, message, flags)
    left--
    koffi.errno(error)
    return -1
  })
}

test.each([
  ['EAGAIN', EAGAIN],
  ['ENOBUFS', ENOBUFS],
])('what a full network does not take (%s) goes out later, in order', async (_name, error) => {
  const { socket } = listen(4)
  const { port, received } = await peer(4)
  const to = new SocketAddress('127.0.0.1', port)
  refuse(5, error)
  const several = numbered(12, 1000, 500)
  for (let at = 0; at < 3; at++)
    expect(socket.send(several, at * 4000, at < 2 ? 4000 : 3500, 1000, to)).toBe(true)
  expect(received).toEqual([])
  several.bytes.fill(99)
  await vi.waitFor(() => expect(received).toHaveLength(12), soon)
  expect(received.map((datagram) => datagram[0])).toEqual(Array.from({ length: 12 }, (_, i) => i))
  expect(received.at(-1)).toHaveLength(500)
})

test('what a full network never takes fills a queue and no more', () => {
  const { socket } = listen(4)
  refuse(Number.POSITIVE_INFINITY, EAGAIN)
  const memory = numbered(1, 1200)
  const to = new SocketAddress('127.0.0.1', 9)
  let taken = 0
  while (taken < 5000 && socket.send(memory, 0, 1200, 0, to)) taken++
  expect(taken).toBeGreaterThan(500)
  expect(taken).toBeLessThan(1100)
})

test('where the network card cannot cut datagrams up, they go out one by one from then on', async () => {
  const { socket } = listen(4)
  const { port, received } = await peer(4)
  const to = new SocketAddress('127.0.0.1', port)
  refuse(1, EIO, true)
  const several = numbered(12, 1200, 700)
  for (let i = 0; i < 2; i++) expect(socket.send(several, 0, several.length, 1200, to)).toBe(true)
  expect(socket.usesSegmentation).toBe(false)
  await vi.waitFor(() => expect(received).toHaveLength(24), soon)
  expect(received.map(({ length }) => length).filter((length) => length === 700)).toHaveLength(2)
})

test.each([
  ['ENETUNREACH', ENETUNREACH],
  ['EPERM', EPERM],
])('a datagram that cannot go anywhere (%s) is lost alone', async (_name, error) => {
  const { socket } = listen(4)
  const { port, received } = await peer(4)
  const to = new SocketAddress('127.0.0.1', port)
  refuse(1, error)
  const memory = numbered(3, 100)
  expect(socket.send(memory, 0, 100, 0, to)).toBe(false)
  expect(socket.send(memory, 100, 200, 100, to)).toBe(true)
  await vi.waitFor(() => expect(received.map((datagram) => datagram[0])).toEqual([1, 2]), soon)
  expect(socket.usesSegmentation).toBe(true)
})

test('an address that is not of this machine is refused', () => {
  expect(UdpSocket.open(4, 0, '192.0.2.1', () => {})).toBe('no such family')
})

test('nothing is sent from outside of the memory', () => {
  const { socket } = listen(4)
  const memory = new Memory(100)
  expect(() => socket.send(memory, 50, 51, 0, new SocketAddress('127.0.0.1', 9))).toThrow(RangeError)
})

test('what waits for the socket keeps its order and its bytes', () => {
  const to = new SocketAddress('192.0.2.1', 1)
  const source = new Memory(60_000)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 60_000 })), { maxLength: 200 }),
      (steps) => {
        const queue = new SendQueue()
        const expected: { fill: number; length: number }[] = []
        const takeOldest = () => {
          const { fill, length } = expected.shift()!
          const oldest = queue.oldest!
          expect(oldest.length).toBe(length)
          const bytes = queue.memory.bytes.subarray(oldest.at, oldest.at + length)
          expect(bytes.equals(Buffer.alloc(length, fill))).toBe(true)
          queue.shift()
        }
        for (const [index, [takes, length]] of steps.entries()) {
          if (takes && expected.length > 0) takeOldest()
          source.bytes.fill(index & 0xff, 0, length)
          if (queue.add(source, 0, length, 0, to)) expected.push({ fill: index & 0xff, length })
        }
        while (expected.length > 0) takeOldest()
        expect(queue.oldest).toBeUndefined()
        expect(queue.add(source, 0, 60_000, 0, to)).toBe(true)
      },
    ),
    { numRuns: 50 },
  )
})
