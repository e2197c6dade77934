import { afterAll, beforeAll, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { enter, enterAgain, type Person } from './clients.ts'
import { NodeNetwork } from './node-network.ts'
import { ThreeNodes } from './three-nodes.ts'

/** Rooms that are cut off at once. */
const ROOMS = 5
/** An owner that has come back, and still believed in its rooms, would write meanwhile. */
const AFTERWARDS_MS = 5000

let network: NodeNetwork
let all: ThreeNodes
beforeAll(async () => {
  network = await NodeNetwork.open()
  all = await ThreeNodes.start('cluster-partition', { PARLEY_SESSION_GRACE_SECONDS: '3600' }, { network })
})
afterAll(async () => {
  await all?.stop()
  await network?.close()
})

const tokenFor = (room_name: string) => all.rest.createRoomToken({ room_name, user_name: 'Ada' })

/** Has a member turn the microphone off and on until its socket is gone, so that there is always something to write. */
function keepsActing({ client, memberId, sessionId }: Person): void {
  const act = async (method: string) => {
    if (client.closeCode !== null) return
    await client.request(method, { room_session_id: sessionId, member_id: memberId }).catch(() => {})
    await timePasses(100, 'the next act')
    void act(method === 'video.member.audio_mute' ? 'video.member.audio_unmute' : 'video.member.audio_mute')
  }
  void act('video.member.audio_mute')
}

interface Written {
  id: string
  owner: string
  revision: number
  firstAtMs: number
  lastAtMs: number
  ends: number
}

/** The sessions of a room in their order, and what is written of each. */
async function writtenOf(room: string): Promise<Written[]> {
  const rows = await all.query(`
    select s.id, s.owner_node, s.owner_revision, min(e.created_at), max(e.created_at),
      count(*) filter (where e.name = 'room.ended')
    from room_sessions s join events e on e.room_session_id = s.id
    where s.name = '${room}' group by s.id order by s.id`)
  return rows.map((row) => {
    const [id = '', owner = '', ...numbers] = row.split('|')
    const [revision = 0, firstAtMs = 0, lastAtMs = 0, ends = 0] = numbers.map(Number)
    return { id, owner, revision, firstAtMs, lastAtMs, ends }
  })
}

test('an owner whose packets to NATS are dropped writes nothing once another node has its rooms', {
  timeout: 120_000,
}, async () => {
  const rooms = Array.from({ length: ROOMS }, (_, index) => `room-${index}`)
  const tokens = new Map<string, string>()
  for (const room of rooms) tokens.set(room, await tokenFor(room))
  const tokenOf = (room: string) => tokens.get(room) ?? ''
  const before = new Map<string, Person>()
  for (const room of rooms) before.set(room, await enter(all.url, tokenOf(room)))
  const cut = await all.ownerOf('room-0')
  const [near = '', far = ''] = all.names.filter((name) => name !== cut)
  const cutRooms: string[] = []
  for (const room of rooms) if ((await all.ownerOf(room)) === cut) cutRooms.push(room)
  for (const person of before.values()) keepsActing(person)

  const heal = await network.cut(cut, [network.natsHost])
  const cutAtMs = Date.now()
  try {
    await Promise.all(
      cutRooms.map(async (room) => {
        // Until its claim is lost it is the owner, and others pass sockets on to it.
        await eventually(
          'the owner lets go',
          async () => before.get(room)?.client.closeCode,
          (code) => code !== null,
        )
        const [one, other] = await Promise.all([
          enterAgain(all.urlOf(near), tokenOf(room)),
          enterAgain(all.urlOf(far), tokenOf(room)),
        ])
        expect(one.sessionId).toBe(other.sessionId)
        expect(one.sessionId).not.toBe(before.get(room)?.sessionId)
        for (const person of [one, other]) keepsActing(person)
        before.set(room, one)
      }),
    )
    console.log(`${cutRooms.length} rooms: back ${Date.now() - cutAtMs} ms after the packets were dropped`)
    // By the node that is cut off nobody gets in, and above all not into a session of its own.
    await expect(enter(all.urlOf(cut), tokenOf('room-0'))).rejects.toThrow()
  } finally {
    await heal()
  }
  await eventually(
    'the node is with the others again',
    () => enterAgain(all.urlOf(cut), tokenOf('room-0')),
    ({ sessionId }) => sessionId === before.get('room-0')?.sessionId,
  )
  await timePasses(AFTERWARDS_MS, 'the former owner would write')

  for (const room of rooms) {
    const sessions = await writtenOf(room)
    expect(sessions).toHaveLength(cutRooms.includes(room) ? 2 : 1)
    if (sessions.length === 1) continue
    const [earlier, later] = sessions as [Written, Written]
    expect(earlier).toMatchObject({ owner: cut, ends: 1 })
    expect(later).toMatchObject({ ends: 0 })
    expect(later.owner).not.toBe(cut)
    expect(later.revision).toBeGreaterThan(earlier.revision)
    // Nobody wrote into a session once the next owner had begun.
    expect(earlier.lastAtMs).toBeLessThanOrEqual(later.firstAtMs)
    console.log(`${room}: ${later.firstAtMs - earlier.lastAtMs} ms without an owner that wrote`)
  }
  for (const { client } of before.values()) client.socket.close(1001)
})
