import { afterEach, beforeEach, expect, test } from 'vitest'
import type { LegQuality } from '../../media/channel.ts'
import { SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { LiveSession } from './live-session.ts'

let world: SessionWorld

beforeEach(async () => {
  world = await SessionWorld.open()
})
afterEach(() => world.close())

const QUALITY: Omit<LegQuality, 'memberId'> = {
  roundTripMs: 41.7,
  jitterMs: 2.34,
  uplinkLoss: 0.012_34,
  downlinkLoss: 0,
  uplinkBitrateBps: 800_000.4,
  downlinkBitrateBps: 1_500_000,
  frameRate: 19.96,
}
const ROOM = { room_name: 'standup' }
const stored = (session: LiveSession) => world.storage.memberQuality.list(world.projectId, session.id, 100)
const connectionEvents = async (session: LiveSession) =>
  (await world.history(session)).events.flatMap(({ name }) => (/lost|back/.test(name) ? [name] : []))

test('what was measured of a member is written each minute and when she leaves', async () => {
  const { session, member, legId } = await world.join(new Witness('Ada'), ROOM)
  await world.join(new Witness('Bob'), ROOM)
  const room = world.media.roomOf(session.id)!
  room.emit('talking', { memberId: member.id, talking: true })
  for (let report = 1; report <= 7; report++) {
    await world.clock.advance(10_000)
    if (report === 1) room.emit('talking', { memberId: member.id, talking: false })
    room.emit('quality', { legs: [{ memberId: member.id, ...QUALITY }] })
    if (report < 6) expect(await stored(session)).toEqual([])
  }
  await world.settled()
  const [minute] = await stored(session)
  expect(minute).toMatchObject({ member_id: member.id, interval_ms: 10_000 })
  expect(minute?.series.talking).toEqual([1, 0, 0, 0, 0, 0])
  expect(minute?.series.uplink_loss).toEqual(Array(6).fill(0.0123))
  session.departures.hangUp(legId)
  await world.settled()
  const [all] = await stored(session)
  expect(all?.series.round_trip_ms).toEqual(Array(7).fill(42))
  expect(all?.series.frame_rate).toEqual(Array(7).fill(20))
})

test('strangers, the audience and those who have left are not kept', async () => {
  const { session } = await world.join(new Witness('Ada'), ROOM)
  const viewer = await world.join(new Witness('Vera'), { ...ROOM, join_as: 'audience' })
  const legs = [viewer.member.id, 'nobody'].map((memberId) => ({ memberId, ...QUALITY }))
  for (let report = 0; report < 10; report++) world.media.roomOf(session.id)!.emit('quality', { legs })
  await session.end('ended_by_member')
  expect(await stored(session)).toEqual([])
})

test('a connection that breaks twice at once is lost once, and back when all of it is', async () => {
  const ada = new Witness('Ada')
  const { session, legId } = await world.join(ada, ROOM, { legId: 'leg' })
  const room = world.media.roomOf(session.id)!
  room.emit('leg', { legId, state: 'disconnected' })
  session.presence.lost(ada)
  await world.settled()
  expect(await connectionEvents(session)).toEqual(['member.lost'])
  room.emit('leg', { legId, state: 'connected' })
  await world.settled()
  expect(await connectionEvents(session)).toEqual(['member.lost'])
  session.presence.back(ada, 1000)
  room.emit('leg', { legId, state: 'connected' })
  await world.settled()
  expect(await connectionEvents(session)).toEqual(['member.lost', 'member.back'])
})
