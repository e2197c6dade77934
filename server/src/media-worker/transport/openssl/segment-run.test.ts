import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Destination } from './destination.ts'
import { SegmentRun } from './segment-run.ts'
import { UdpSocket } from './udp/udp-socket.ts'

const soon = { timeout: 5000, interval: 5 }
let ours: UdpSocket
const receivers: { socket: Socket; received: Buffer[]; destination: Destination }[] = []

beforeAll(async () => {
  ours = UdpSocket.open(4, 0, '127.0.0.1', () => {}) as UdpSocket
  for (let i = 0; i < 2; i++) {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 })
    const received: Buffer[] = []
    socket.on('message', (datagram) => received.push(datagram))
    socket.bind({ port: 0, address: '127.0.0.1' })
    await once(socket, 'listening')
    const destination = new Destination(ours, { address: '127.0.0.1', port: socket.address().port })
    receivers.push({ socket, received, destination })
  }
})
afterAll(() => {
  ours.close()
  for (const { socket } of receivers) socket.close()
})

test('each receiver gets its own packets as they were, in order', async () => {
  const size = fc.oneof(fc.constant(1200), fc.integer({ min: 1, max: 1500 }))
  const packet = fc.record({ to: fc.nat(1), size, flush: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(packet, { maxLength: 60 }), async (packets) => {
      const run = new SegmentRun()
      const expected: Buffer[][] = [[], []]
      for (const [index, { to, size, flush }] of packets.entries()) {
        const { destination } = receivers[to]!
        const bytes = Buffer.alloc(size, index)
        bytes.copy(run.memory.bytes, run.place(destination, size))
        run.add(destination, size)
        expected[to]!.push(bytes)
        if (flush) run.flush()
      }
      run.flush()
      run.flush()
      for (const [index, { received }] of receivers.entries()) {
        await vi.waitFor(() => expect(received.length).toBe(expected[index]!.length), soon)
        expect(Buffer.concat(received.splice(0)).equals(Buffer.concat(expected[index]!))).toBe(true)
      }
    }),
    { numRuns: 40 },
  )
})
