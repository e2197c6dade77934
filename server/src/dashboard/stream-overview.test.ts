import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Actor } from '../audit/audit.ts'
import type { StreamCondition } from '../rooms/live-sessions.ts'
import { createStreams, type Streams } from '../rooms/streams.ts'
import type { RoomRecord } from '../storage/records.ts'
import { SessionWorld, Witness } from '../testing/simulation/session-world.ts'
import { createStreamOverview, type StreamOverview } from './stream-overview.ts'

const URL = 'rtmp://live.example.com/app/key'
const ADA: Actor = { kind: 'user', name: 'Ada' }
let world: SessionWorld
let room: RoomRecord
let streams: Streams
let overview: StreamOverview

beforeEach(async () => {
  world = await SessionWorld.open()
  world.names.set('live.example.com', '203.0.113.9')
  room = await world.addRoom({ name: 'r' })
  const { storage, registry: sessions, targets, clock, sealingKey } = world
  streams = createStreams({ storage, sessions, targets, clock, sealingKey, maxStreamsPerRoom: 5 })
  overview = createStreamOverview({ storage, sessions, clock, sealingKey })
})
afterEach(() => world.close())

const list = async (status?: StreamCondition['status'], project = world.projectId) =>
  (await overview.list(project, status, { limit: 50 })).rows.flatMap(({ row }) => row ?? [])
const join = () => world.join(new Witness('Ada'), { room_name: 'r' })
const add = async () => {
  const { id } = await streams.create(world.projectId, 'room', room.id, URL)
  await world.settled()
  return id
}

it('lists those of rooms and those of people, without keys', async () => {
  const kept = await add()
  expect(await list()).toMatchObject([
    { id: kept, isKept: true, roomName: 'r', sessionId: null, destination: 'rtmp://live.example.com/app/…' },
  ])
  const { session } = await join()
  await world.clock.advance(1000)
  const own = await session.streams.start(URL)
  expect(await list()).toMatchObject([
    { id: own.id, isKept: false, condition: { status: 'live' } },
    { id: kept, isKept: true, sessionId: session.id, condition: { status: 'live' } },
  ])
  expect(JSON.stringify(await list())).not.toContain('key')
  expect(await list('live')).toHaveLength(2)
  expect(await list('waiting')).toEqual([])
  expect(await list(undefined, 'another project')).toEqual([])
})

it('counts how often a stream came back, and says why it was away', async () => {
  const id = await add()
  const { session } = await join()
  const media = world.media.roomOf(session.id)
  for (const times of [1, 2]) {
    media?.loseStream([...media.streams.keys()][0] ?? '')
    expect(await list('retrying')).toMatchObject([{ id, condition: { lastError: 'closed' } }])
    await world.clock.advance(3000)
    expect(await list('live')).toMatchObject([{ id, reconnects: times, condition: { lastError: 'closed' } }])
  }
})

it('stops a stream of a room and starts it again, with entries in the audit log', async () => {
  const id = await add()
  await join()
  await overview.stop(world.projectId, id, ADA)
  expect(await list('waiting')).toMatchObject([{ id }])
  await overview.stop(world.projectId, id, ADA)
  await overview.start(world.projectId, id, ADA)
  await world.settled()
  expect(await list('live')).toMatchObject([{ id }])
  await overview.start(world.projectId, id, ADA)
  await expect(overview.stop('another project', id, ADA)).rejects.toThrow()
  const entries = await world.storage.audit.list({}, 9)
  expect(entries.map(({ action, target }) => [action, target])).toEqual([
    ['stream.start', id],
    ['stream.stop', id],
  ])
})

it('tells dashboards when a stream is lost and when it is back', async () => {
  await add()
  const quiet: string[] = []
  world.registry.watchers.add(world.projectId, {
    sessionEvent: () => {},
    quietChange: (_, what) => quiet.push(what),
  })
  const { session } = await join()
  const media = world.media.roomOf(session.id)
  quiet.length = 0
  media?.loseStream([...media.streams.keys()][0] ?? '')
  await world.clock.advance(3000)
  expect(quiet).toEqual(['stream', 'stream'])
})
