import { afterEach, beforeEach, expect, test } from 'vitest'
import { removalOnDisk } from '../testing/removal-on-disk.ts'
import { SessionWorld, Witness } from '../testing/simulation/session-world.ts'
import { createCalls } from './calls.ts'
import { createRecordings } from './recordings.ts'
import { createRoomSessions } from './room-sessions.ts'
import { createVideoLogs } from './video-logs.ts'

const FREE = {
  pricePerMemberMinute720p: 0,
  pricePerMemberMinute1080p: 0,
  pricePerRecordedMinute: 0,
  pricePerStreamedMinute: 0,
}
const ALL = { limit: 1000 }

let world: SessionWorld

beforeEach(async () => {
  world = await SessionWorld.open()
})
afterEach(() => world.close())

const readers = () => {
  const { storage, clock, registry: sessions } = world
  const options = { storage, sessions, clock, prices: FREE }
  return {
    roomSessions: createRoomSessions(options),
    recordings: createRecordings({
      ...options,
      folder: '/nonexistent',
      removal: removalOnDisk(storage, '/nonexistent'),
    }),
    calls: createCalls(options),
    logs: createVideoLogs(options),
  }
}

/** Joins, and waits for nothing but the answer. */
const join = (name: string) => {
  const participant = new Witness(name)
  const grant = world.grant({ room_name: 'r', user_name: name })
  return world.registry.join({
    grant,
    name,
    participant,
    legId: name,
    offer: 'offer',
    onAnswered: () => {},
  })
}

test('the duration of a recording leaves out its pauses, also while it runs', async () => {
  const { projectId } = world
  const { recordings } = readers()
  const { session } = await join('Ada')
  const { id } = await session.recordings.start()
  const lengthMs = async () => (await recordings.get(projectId, id)).lengthMs
  await world.clock.advance(5000)
  expect(await lengthMs()).toBe(5000)
  await session.recordings.pause(id)
  await world.clock.advance(60_000)
  expect(await lengthMs()).toBe(5000)
  await session.recordings.resume(id)
  await world.clock.advance(2000)
  expect(await lengthMs()).toBe(7000)
})

test('what a client was answered can be read at once', async () => {
  const { projectId } = world
  const { roomSessions, recordings, calls, logs } = readers()
  const { session } = await join('Ada')
  expect((await roomSessions.listMembers(projectId, session.id, ALL)).rows).toMatchObject([{ name: 'Ada' }])
  await join('Bob')
  expect((await calls.list(projectId, {}, ALL)).rows).toHaveLength(2)
  await join('Cyd')
  const { rows: events } = await roomSessions.listEvents(projectId, session.id, ALL)
  expect(events.filter(({ name }) => name === 'member.joined')).toHaveLength(3)
  session.changes.changeRoom({ locked: true })
  expect(await roomSessions.get(projectId, session.id)).toMatchObject({ locked: true })
  session.changes.changeRoom({ locked: false })
  expect((await roomSessions.list(projectId, {}, ALL)).rows).toMatchObject([{ locked: false }])

  const { id } = await session.recordings.start()
  expect(await recordings.get(projectId, id)).toMatchObject({ started_at: world.clock.now() })
  await session.recordings.pause(id)
  expect((await recordings.list(projectId, ALL)).rows).toMatchObject([{ status: 'paused' }])
  await session.recordings.resume(id)
  expect((await logs.list(projectId, ALL)).rows[0]).toMatchObject({ id, status: 'recording' })
  session.recordings.stop(id)
  await recordings.delete(projectId, id)
  expect((await recordings.list(projectId, ALL)).rows).toEqual([])
})
