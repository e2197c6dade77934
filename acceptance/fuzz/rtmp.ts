import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import fc from 'fast-check'
import { expect } from 'vitest'
import { sampleOffer } from '../../server/src/testing/relay/sample-offer.ts'
import { within } from '../testing/eventually.ts'
import type { Deployment } from '../testing/use-deployment.ts'
import { anyBytes, changed, type FuzzPlan, fuzz } from './fuzzing.ts'
import { RoomClient } from './room-client.ts'

const STREAMS_AT_ONCE = 3
/**
 * The longest time for a stream to be refused or accepted, and to end, in milliseconds. The server's own limits are 8 s
 * and 2 s.
 */
const LONGEST_STREAM_MS = 20_000

/** Messages of one chunk each (RTMP 1.0, section 5.3): control, command, media. */
function chunk(type: number, body: Buffer, stream = 3): Buffer {
  const header = Buffer.alloc(12)
  header[0] = stream
  header.writeUIntBE(body.length, 4, 3)
  header[7] = type
  return Buffer.concat([header, body])
}

const amfString = (value: string) => Buffer.concat([Buffer.from([2, 0, value.length]), Buffer.from(value)])
const amfNumber = (value: number) => {
  const bytes = Buffer.alloc(9)
  bytes.writeDoubleBE(value, 1)
  return bytes
}
const amfObject = (fields: Record<string, string>) =>
  Buffer.concat([
    Buffer.from([3]),
    ...Object.entries(fields).map(([name, value]) =>
      Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), amfString(value)]),
    ),
    Buffer.from([0, 0, 9]),
  ])
const NULL = Buffer.from([5])
const command = (...parts: Buffer[]) => chunk(20, Buffer.concat(parts))
const status = (code: string) =>
  command(amfString('onStatus'), amfNumber(0), NULL, amfObject({ level: 'status', code, description: 'x' }))
const resultOf = (transaction: number) =>
  command(
    amfString('_result'),
    amfNumber(transaction),
    amfObject({ fmsVer: 'FMS/3,0' }),
    amfObject({ code: 'NetConnection.Connect.Success' }),
  )
const word = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

/** The messages of an RTMP server, from the handshake until it accepts the stream, and other ones. */
const messages = [
  chunk(5, word(2_500_000), 2),
  chunk(6, Buffer.concat([word(2_500_000), Buffer.from([2])]), 2),
  chunk(1, word(4096), 2),
  chunk(1, word(0xffff_ffff), 2),
  chunk(4, Buffer.concat([Buffer.from([0, 6]), word(1)]), 2),
  chunk(3, word(1000), 2),
  resultOf(1),
  resultOf(2),
  command(amfString('_result'), amfNumber(4), NULL, amfNumber(1)),
  command(amfString('_error'), amfNumber(1), NULL, amfObject({ code: 'NetConnection.Connect.Rejected' })),
  command(amfString('onBWDone'), amfNumber(0), NULL),
  status('NetStream.Publish.Start'),
  status('NetStream.Publish.BadName'),
  chunk(9, Buffer.alloc(300, 0x27), 4),
  chunk(8, Buffer.alloc(40, 0xaf), 4),
  chunk(22, Buffer.alloc(100, 9), 4),
]

const handshake = Buffer.concat([Buffer.from([3]), Buffer.alloc(1536, 1), Buffer.alloc(1536, 2)])
const answer = fc.record({
  handshake: fc.oneof(
    { weight: 8, arbitrary: fc.constant(handshake) },
    { weight: 1, arbitrary: changed([handshake], 4000) },
  ),
  parts: fc.array(
    fc.oneof({ weight: 8, arbitrary: changed(messages, 5000) }, { weight: 1, arbitrary: anyBytes(2000) }),
    {
      minLength: 1,
      maxLength: 20,
    },
  ),
  /** Whether the answer keeps the usual order as far as possible, so that FFmpeg gets further. */
  polite: fc.boolean(),
})

type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never

function answerWith(socket: Socket, { handshake: greeting, parts, polite }: Answer): void {
  socket.on('error', () => {})
  socket.resume()
  socket.write(greeting)
  const order = polite
    ? [resultOf(1), resultOf(2), resultOf(3), ...parts, messages[8]!, status('NetStream.Publish.Start')]
    : parts
  for (const part of order) socket.write(part)
  // The client gets time to read everything. Then the connection ends.
  socket.setTimeout(200, () => socket.end())
}

/**
 * Sends streams to a server that answers anything. Each is refused, or accepted and lost, and the media worker
 * continues.
 */
export async function fuzzRtmp(plan: FuzzPlan, deployment: Deployment): Promise<void> {
  await fuzz(plan, answer, STREAMS_AT_ONCE, async (group) => {
    const left = [...group]
    const server = createServer((socket) => {
      const next = left.pop()
      if (next) answerWith(socket, next)
      else socket.destroy()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const token = await deployment.rest.createRoomToken({
      room_name: deployment.roomName(),
      permissions: ['room.stream'],
    })
    const client = await RoomClient.open(deployment.access)
    const callID = randomUUID()
    try {
      await client.connect(token)
      await client.join(callID, sampleOffer())
      const room_session_id = client.call.sessionId
      for (const _ of group) {
        const startedAt = performance.now()
        const url = `rtmp://127.0.0.1:${port}/live/key`
        const reply = await within(
          'a stream',
          LONGEST_STREAM_MS,
          client.request('video.stream.start', { room_session_id, url }),
        )
        const { result } = reply as { result?: { code: string; stream?: { id: string } } }
        plan.tally.note(String(result?.code), performance.now() - startedAt)
        expect(result?.code, JSON.stringify(reply)).toMatch(/^\d{3}$/)
        if (result?.stream)
          await client.request('video.stream.stop', { room_session_id, stream_id: result.stream.id })
      }
    } finally {
      await client.verto('verto.bye', { dialogParams: { callID } })
      await client.close()
      server.close()
    }
  })
}
