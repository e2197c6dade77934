import { randomUUID } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import fc from 'fast-check'
import { sampleOffer } from '../../server/src/testing/relay/sample-offer.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import type { Deployment } from '../testing/use-deployment.ts'
import { anyBytes, changed, type FuzzPlan, fuzz } from './fuzzing.ts'
import { RoomClient } from './room-client.ts'
import { checks } from './stun.ts'

const DATAGRAMS_AT_ONCE = 50
/** At a higher rate the system would drop datagrams before the worker reads them. */
const PAUSE_MS = 5

/** A truncated DTLS ClientHello, and records of other kinds (RFC 6347, section 4.1). */
const dtls = [
  '16feff000000000000000000320100002600000000000000',
  '14fefd0001000000000001000101',
  '17fefd00010000000000020004dead',
].map((hex) => Buffer.from(hex, 'hex'))
const srtp = [
  Buffer.from('806f0001000000010000004d', 'hex'),
  Buffer.from('80c80006000000010000000200000003', 'hex'),
]

interface Door {
  port: number
  datagrams: Buffer[]
}

/** Joins a call that never sends media. @returns the address for its media, and checks that are authentic there */
async function openDoor(deployment: Deployment, token: string, isHidden: boolean): Promise<Door> {
  const client = await RoomClient.open(deployment.access)
  try {
    await client.connect(token)
    const offer = isHidden ? sampleOffer().replaceAll(/a=candidate:.*\r\n/g, '') : sampleOffer()
    await client.join(randomUUID(), offer)
    const { answer } = client.call
    const of = (name: string, sdp: string) => new RegExp(`a=${name}:(\\S+)`).exec(sdp)?.[1] ?? ''
    const port = Number(/a=candidate:\S+ \d+ \S+ \d+ \S+ (\d+)/.exec(answer)?.[1])
    const username = `${of('ice-ufrag', answer)}:${of('ice-ufrag', offer)}`
    return { port, datagrams: checks([username, of('ice-ufrag', answer)], of('ice-pwd', answer)) }
  } finally {
    await client.close()
  }
}

/** Sends datagrams to both ports of a media worker, from several sources, with and without knowledge of a password. */
export async function fuzzDatagrams(plan: FuzzPlan, deployment: Deployment): Promise<void> {
  const token = await deployment.rest.createRoomToken({ room_name: deployment.roomName() })
  const doors = [await openDoor(deployment, token, false), await openDoor(deployment, token, true)]
  const sockets = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const socket = createSocket('udp4')
      // ICMP errors of a port that is closed for a moment.
      socket.on('error', () => {})
      socket.bind(0, '127.0.0.1')
      await once(socket, 'listening')
      return socket
    }),
  )
  let answers = 0
  for (const socket of sockets) socket.on('message', () => answers++)
  const datagram = fc.record({
    bytes: fc.oneof(
      { weight: 5, arbitrary: changed(doors.flatMap(({ datagrams }) => datagrams)) },
      { weight: 2, arbitrary: changed(dtls) },
      { weight: 2, arbitrary: changed(srtp) },
      { weight: 1, arbitrary: anyBytes(1400) },
      { weight: 1, arbitrary: fc.constant(Buffer.alloc(60_000, 1)) },
    ),
    from: fc.nat(sockets.length - 1),
    to: fc.nat(doors.length - 1),
  })
  try {
    await fuzz(plan, datagram, DATAGRAMS_AT_ONCE, async (group) => {
      for (const { bytes, from, to } of group) sockets[from]?.send(bytes, doors[to]?.port ?? 0, '127.0.0.1')
      for (const _ of group) plan.tally.note('sent')
      await timePasses(PAUSE_MS, 'the server reads them')
    })
  } finally {
    for (const socket of sockets) socket.close()
  }
  plan.tally.outcomes.set('answered', answers)
}
