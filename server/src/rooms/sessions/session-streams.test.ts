import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { RoomRecord, StreamRunRecord } from '../../storage/records.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import { createStreams, type Streams } from '../streams.ts'
import type { LiveSession } from './live-session.ts'

const URL = 'rtmp://live.example.com/app/key'
/** Limit for stored streams and all others together. The sessions themselves start three. */
const MAX_STREAMS = 5
const OTHER_URL = 'rtmps://live.example.com/app/other'

let world: SessionWorld
let room: RoomRecord
let streams: Streams

beforeEach(async () => {
  world = await SessionWorld.open()
  world.names.set('live.example.com', '203.0.113.9')
  room = await world.addRoom({ name: 'r' })
  streams = createStreams({
    storage: world.storage,
    sessions: world.registry,
    targets: world.targets,
    clock: world.clock,
    sealingKey: world.sealingKey,
    maxStreamsPerRoom: MAX_STREAMS,
  })
})
afterEach(() => world.close())

const join = (person = new Witness('Ada'), fields = {}) => world.join(person, { room_name: 'r', ...fields })
const add = async (url = URL) => {
  const stream = await streams.create(world.projectId, 'room', room.id, url)
  await world.settled()
  return stream
}
/** Addresses that the media room of the session is sending to. */
const sent = (session: LiveSession) =>
  [...(world.media.roomOf(session.id)?.streams.values() ?? [])].map(({ url }) => url)
const runs = async (): Promise<StreamRunRecord[]> =>
  (await world.storage.streamRuns.list(world.projectId, { limit: 100 })).rows
const eventsOf = async (session: LiveSession) =>
  (await world.history(session)).events.filter(({ name }) => name.startsWith('stream.'))
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  )

describe('stored streams', () => {
  test('start with the session and stop with it', async () => {
    const stream = await add()
    expect(await runs()).toEqual([])
    const { session, legId } = await join()
    const [options] = [...(world.media.roomOf(session.id)?.streams.values() ?? [])]
    expect(options).toMatchObject({
      url: URL,
      target: { host: 'live.example.com', address: '203.0.113.9', port: 1935, tls: false },
    })
    const startedAt = world.clock.now()
    expect(await runs()).toMatchObject([
      {
        room_session_id: session.id,
        stream_id: stream.id,
        status: 'streaming',
        started_at: startedAt,
        ended_at: null,
      },
    ])
    await world.clock.advance(7000)
    session.departures.hangUp(legId)
    await world.clock.advance(GRACE.sessionGraceMs)
    await session.finished
    expect(await runs()).toMatchObject([
      { status: 'completed', started_at: startedAt, ended_at: world.clock.now() },
    ])
    const events = (await world.history(session)).events.map(({ name }) => name)
    expect(events).toContain('stream.started')
    expect(events.indexOf('stream.ended')).toBeLessThan(events.indexOf('room.ended'))
    // The next session starts it again.
    const next = await join()
    expect(sent(next.session)).toEqual([URL])
    expect(await runs()).toHaveLength(2)
  })

  test('start at once where a session is in progress, go elsewhere, and stop when they are deleted', async () => {
    const { session } = await join()
    const stream = await add()
    expect(sent(session)).toEqual([URL])
    await streams.update(world.projectId, stream.id, OTHER_URL)
    await world.settled()
    expect(sent(session)).toEqual([OTHER_URL])
    expect([...world.media.roomOf(session.id)!.streams.values()][0]?.target).toMatchObject({
      port: 443,
      tls: true,
    })
    await streams.update(world.projectId, stream.id, OTHER_URL)
    await world.settled()
    await streams.delete(world.projectId, stream.id)
    await world.settled()
    expect(sent(session)).toEqual([])
    expect((await runs()).map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect((await eventsOf(session)).map(({ name, payload }) => [name, payload])).toEqual([
      ['stream.started', { stream_id: stream.id }],
      ['stream.ended', { stream_id: stream.id }],
      ['stream.started', { stream_id: stream.id }],
      ['stream.ended', { stream_id: stream.id }],
    ])
  })

  test('of other rooms are left alone', async () => {
    const other = await world.addRoom({ name: 'other' })
    const { session } = await join()
    await streams.create(world.projectId, 'room', other.id, URL)
    await world.settled()
    expect(sent(session)).toEqual([])
  })

  test('are tried again at a steady pace, until their server takes them', async () => {
    world.media.refusesStreams = 'connect ECONNREFUSED'
    const { id } = await add()
    const condition = async () => (await streams.get(world.projectId, id)).condition
    expect(await condition()).toMatchObject({ status: 'waiting', lastError: null })
    const ada = new Witness('Ada')
    const { session } = await join(ada)
    expect(session.runningStreams).toEqual([])
    const retryingSince = world.clock.now()
    // The next attempt is at most two seconds away, however long the server was unreachable.
    await world.clock.advance(120_000)
    expect(await condition()).toEqual({
      status: 'retrying',
      liveSince: null,
      retryingSince,
      lastError: 'unreachable',
    })
    world.media.refusesStreams = null
    await world.clock.advance(2000)
    expect(sent(session)).toEqual([URL])
    expect(await condition()).toMatchObject({ status: 'live', retryingSince: null, lastError: 'unreachable' })
    expect(session.runningStreams).toHaveLength(1)
    const events = await eventsOf(session)
    expect(events.map(({ name, level }) => [name, level])).toEqual([
      ['stream.interrupted', 'warning'],
      ['stream.started', 'info'],
    ])
    expect(events[0]?.payload.reason).toBe('unreachable')
    expect(ada.types.filter((type) => type.startsWith('stream'))).toEqual(['stream_started'])
  })

  test('that are lost are connected again, as the same run', async () => {
    await add()
    const { session } = await join()
    const media = world.media.roomOf(session.id)!
    for (let time = 0; time < 2; time++) {
      const [runId] = [...media.streams.keys()]
      media.loseStream(runId!)
      expect(sent(session)).toEqual([])
      await world.clock.advance(2000)
      expect(sent(session)).toEqual([URL])
    }
    expect(await runs()).toHaveLength(1)
    expect((await eventsOf(session)).map(({ name }) => name)).toEqual([
      'stream.started',
      'stream.interrupted',
      'stream.resumed',
      'stream.interrupted',
      'stream.resumed',
    ])
  })

  test('are judged again at each connection: a name that turns inward is not followed', async () => {
    await add()
    const { session } = await join()
    world.names.set('live.example.com', '169.254.169.254')
    const media = world.media.roomOf(session.id)!
    media.loseStream([...media.streams.keys()][0]!)
    await world.clock.advance(60_000)
    expect(sent(session)).toEqual([])
    world.names.set('live.example.com', '203.0.113.9')
    await world.clock.advance(60_000)
    expect(sent(session)).toEqual([URL])
  })

  test('leave nothing of their address in the history', async () => {
    world.media.refusesStreams = 'refused'
    await add()
    const { session } = await join()
    await world.clock.advance(5000)
    const { events } = await world.history(session)
    expect(JSON.stringify(events)).not.toMatch(/key|live\.example/)
  })

  test('end with the media worker, and after a restart of the server', async () => {
    await add()
    const { session } = await join()
    world.media.roomOf(session.id)!.die()
    await world.settled()
    expect((await runs())[0]?.status).toBe('completed')

    const { session: next } = await join()
    await world.clock.advance(2000)
    const diedAt = (await world.storage.sessions.find(world.projectId, next.id))!.alive_at
    // The server was killed. Another one completes what it left.
    await world.newRegistry().recover()
    const [run] = await runs()
    expect(run).toMatchObject({ room_session_id: next.id, status: 'completed', ended_at: diedAt })
  })
})

describe('streams of members', () => {
  test('are started and stopped, and told to those who may stream', async () => {
    const [ada, bob] = [new Witness('Ada'), new Witness('Bob')]
    const { session } = await join(ada)
    await join(bob, { permissions: [] })
    const stream = await session.streams.start(URL)
    expect(sent(session)).toEqual([URL])
    expect(session.runningStreams).toEqual([stream])
    await world.clock.advance(3000)
    session.streams.stop(stream.id)
    await world.settled()
    expect(sent(session)).toEqual([])
    expect(stream).toMatchObject({ state: 'completed', endedAt: stream.startedAt! + 3000 })
    expect(() => session.streams.stop(stream.id)).toThrow(/stopped already/)
    expect(() => session.streams.stop(newId())).toThrow(/no such stream/)
    const told = (person: Witness) => person.types.filter((type) => /stream|room_updated/.test(type))
    expect(told(ada)).toEqual(['stream_started', 'room_updated', 'stream_ended', 'room_updated'])
    expect(told(bob)).toEqual(['room_updated', 'room_updated'])
    expect(await runs()).toMatchObject([{ stream_id: null, status: 'completed' }])
  })

  test.each([
    ['nonsense', 'invalid_parameter'],
    ['http://live.example.com/', 'invalid_parameter'],
    ['rtmp://127.0.0.1/app', 'invalid_parameter'],
    ['rtmp://nobody-knows.example.com/app', 'invalid_parameter'],
  ])('to %s are refused', async (url, code) => {
    const { session } = await join()
    expect(await refusal(session.streams.start(url))).toBe(code)
    expect(session.streams.all).toEqual([])
  })

  test('that their server does not take are no streams', async () => {
    const { session } = await join()
    world.media.refusesStreams = 'the destination did not agree to take the stream in time'
    const error = await session.streams.start(URL).catch((thrown: unknown) => thrown)
    // The reason must not be shown: it would reveal networks that do not belong to the customer.
    expect(error).toMatchObject({
      code: 'stream_not_accepted',
      message: expect.not.stringMatching(/did not agree/),
    })
    expect(session.streams.all).toEqual([])
    await world.clock.advance(60_000)
    world.media.refusesStreams = null
    expect(sent(session)).toEqual([])
  })

  test('are no more than the limit, stored ones included', async () => {
    await add()
    const { session } = await join()
    const results = await Promise.all([1, 2, 3].map(() => refusal(session.streams.start(URL))))
    expect(results).toEqual(['none', 'none', 'exceeds_platform_stream_limit'])
  })

  test('take places from stored ones for as long as they run', async () => {
    const { session } = await join()
    const started = await Promise.all([1, 2, 3].map(() => session.streams.start(URL)))
    for (let count = 3; count < MAX_STREAMS; count++) await add()
    const tooMany = { entries: [{ code: 'exceeds_platform_stream_limit' }] }
    await expect(add()).rejects.toMatchObject(tooMany)
    session.streams.stop(started[0]!.id)
    await add()
    await expect(add()).rejects.toMatchObject(tooMany)
  })

  test('may be stored ones: stopped in this session, they are there for the next', async () => {
    const stream = await add()
    const { session, legId } = await join()
    session.streams.stop(stream.id)
    await add(OTHER_URL)
    expect(sent(session)).toEqual([OTHER_URL])
    session.departures.hangUp(legId)
    await world.clock.advance(GRACE.sessionGraceMs)
    await session.finished
    const { session: next } = await join()
    expect(sent(next).sort()).toEqual([URL, OTHER_URL].sort())
  })

  test('need a session that goes on', async () => {
    const { session } = await join()
    await session.end('empty')
    expect(await refusal(session.streams.start(URL))).toBe('session_ended')
  })
})
