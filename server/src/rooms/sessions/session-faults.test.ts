import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { LiveSession } from './live-session.ts'
import { SessionWriteQueue } from './session-write-queue.ts'
import { WriteQueueBudget } from './write-queue-budget.ts'

let world: SessionWorld

/** Maximum number of attempts of a refused client. */
const MOST_ATTEMPTS = 40
const STREAM = 'rtmp://live.example.org/app/key'

/** Waits for work that may wait for the database. Advances the clock meanwhile. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let settled = false
  const watched = work.finally(() => {
    settled = true
  })
  watched.catch(() => {})
  for (let second = 0; !settled && second < 60; second++) {
    for (let turn = 0; !settled && turn < 4; turn++) await world.settled()
    if (!settled) await world.clock.advance(500)
  }
  return watched
}

/** Joins as a client does: it tries again if it is refused for now. */
async function join(
  name: string,
  room_name: string,
): Promise<{ session: LiveSession; legId: string; id: string }> {
  for (let attempt = 1; ; attempt++) {
    const legId = newId()
    try {
      const { session, member } = await inTime(world.join(new Witness(name), { room_name }, { legId }))
      return { session, legId, id: member.id }
    } catch (error) {
      const isAway = error instanceof Refusal && error.code === 'unavailable'
      if (!isAway || attempt === MOST_ATTEMPTS) throw error
      await world.clock.advance(1000)
    }
  }
}

/** Does everything that a session may write, once. Returns the ids of clients that were told they are in. */
async function life(room_name: string): Promise<{ sessions: LiveSession[]; admitted: string[] }> {
  const ada = await join('Ada', room_name)
  const bob = await join('Bob', room_name)
  const { session } = ada
  const admitted = [ada.id, bob.id]
  const recording = await session.recordings.start().catch(() => null)
  session.streams.start(STREAM).catch(() => {})
  await world.clock.advance(1500)
  const screen = newId()
  const parent = session.member(bob.id)
  if (parent) {
    const request = { parent, type: 'screen', legId: screen, offer: 'offer', onAnswered: () => {} } as const
    await inTime(session.joins.addChild(request)).then(
      ({ id }) => admitted.push(id),
      (error: unknown) => {
        if (!(error instanceof Refusal)) throw error
      },
    )
  }
  session.changes.changeRoom({ locked: true })
  if (recording) await session.recordings.pause(recording.id)
  await world.clock.advance(1000)
  if (recording) session.recordings.stop(recording.id)
  session.departures.hangUp(bob.legId)
  await session.recordings.start().catch(() => null)
  session.departures.hangUp(ada.legId)
  await world.clock.advance(GRACE.sessionGraceMs)
  const again = await join('Carla', room_name)
  admitted.push(again.id)
  return { sessions: [session, again.session], admitted }
}

/** Expects that storage and the sessions agree. */
async function expectTruth(room_name: string, sessions: readonly LiveSession[], admitted: readonly string[]) {
  const { storage, projectId } = world
  const live = world.registry.sessions.filter(({ name }) => name === room_name)
  const { rows } = await storage.sessions.list(projectId, { roomName: room_name }, { limit: 50 })
  expect(rows.filter(({ status }) => status === 'in-progress').map(({ id }) => id)).toEqual(
    live.filter(({ isStarted }) => isStarted).map(({ id }) => id),
  )
  const told = new Set(admitted)
  for (const { id, end_time, start_time } of rows) {
    const session = [...live, ...sessions].find((one) => one.id === id)
    const all = { limit: 1000 }
    const [members, recordings, events] = await Promise.all([
      storage.members.list(projectId, id, all),
      storage.recordings.list(projectId, { sessionId: id }, all),
      storage.events.list(projectId, { sessionId: id }, all),
    ])
    const seated = session && !session.isEnded ? session.everybody().map((member) => member.id) : []
    expect(members.rows.filter(({ leave_time }) => leave_time === null).map((one) => one.id)).toEqual(seated)
    for (const member of members.rows) {
      told.delete(member.id)
      expect(member.leave_time ?? member.join_time).toBeGreaterThanOrEqual(member.join_time)
    }
    if (end_time !== null) expect(end_time).toBeGreaterThanOrEqual(start_time ?? 0)
    const unfinished = session && !session.isEnded ? session.recordings.unfinished : []
    expect(recordings.rows.filter(({ status }) => status !== 'completed').map((one) => one.id)).toEqual(
      unfinished,
    )
    const count = (name: string) => events.rows.filter((event) => event.name === name).length
    expect(count('room.started')).toBe(1)
    expect(count('room.ended')).toBe(end_time === null ? 0 : 1)
    expect(count('member.joined') - count('member.left')).toBe(seated.length)
    expect(count('history.mended')).toBe(0)
  }
  expect([...told]).toEqual([])
  const open = await storage.streamRuns.listOpen()
  expect(open.filter(({ room_session_id }) => rows.some(({ id }) => id === room_session_id))).toEqual([])
  const calls = await storage.calls.listOpen()
  const callers = calls.filter(({ room_session_id }) => rows.some(({ id }) => id === room_session_id))
  expect(callers).toHaveLength(live.flatMap((session) => session.everybody()).length)
}

/** Runs a life in which these writes fail. Afterwards the database accepts all writes again. */
async function faultyLife(faults: Parameters<SessionWorld['failWrites']>[0]): Promise<number> {
  const name = `room-${newId()}`
  world.failWrites(faults)
  const { sessions, admitted } = await life(name)
  const writes = world.writes
  world.failWrites(null)
  await world.clock.advance(10_000)
  await expectTruth(name, sessions, admitted)
  const [last] = sessions.slice(-1)
  await last?.end('empty')
  await last?.finished
  await world.settled()
  await expectTruth(name, sessions, admitted)
  return writes
}

describe('each single write of a life', () => {
  beforeAll(async () => {
    world = await SessionWorld.open()
    world.names.set('live.example.org', '93.184.216.34')
  })
  afterAll(() => world.close())

  test.each([
    { how: 'refused', tries: 1 },
    { how: 'refused', tries: 15 },
    { how: 'unanswered', tries: 1 },
  ] as const)(
    'may be $how $tries times: what is stored is what is',
    { timeout: 120_000 },
    async ({ how, tries }) => {
      const writes = await faultyLife(null)
      expect(writes).toBeGreaterThan(20)
      for (let from = 1; from <= writes; from++) {
        try {
          await faultyLife({ from, tries, how })
        } catch (error) {
          throw new Error(`write ${from} of ${writes}`, { cause: error })
        }
      }
    },
  )
})

describe('a database that takes nothing', () => {
  beforeEach(async () => {
    world = await SessionWorld.open()
    await world.registry.recover()
    return () => world.close()
  })
  const away = { from: 1, tries: Number.POSITIVE_INFINITY, how: 'refused' } as const

  test('refuses newcomers within seconds, with no trace of them', async () => {
    const { session } = await join('Ada', 'r')
    world.failWrites(away)
    const refused = await inTime(world.join(new Witness('Bob'), { room_name: 'r' })).catch((error) => error)
    expect(refused).toMatchObject({ code: 'unavailable' })
    expect(session.members).toHaveLength(1)
    world.failWrites(null)
    await world.clock.advance(5000)
    expect((await world.history(session)).members).toHaveLength(1)
    await join('Bob', 'r')
    expect((await world.history(session)).members).toHaveLength(2)
  })

  test('has the end of a session as soon as it takes it, and the room goes on at once', async () => {
    const { session, legId } = await join('Ada', 'r')
    world.failWrites(away)
    session.departures.hangUp(legId)
    await world.clock.advance(GRACE.sessionGraceMs)
    const endedAt = world.clock.now()
    await world.clock.advance(75_000)
    expect((await world.history(session)).record?.status).toBe('in-progress')
    world.failWrites(null)
    const again = await join('Ada', 'r')
    expect(again.session).not.toBe(session)
    const { record, events } = await world.history(session)
    expect(record).toMatchObject({ status: 'completed', end_time: endedAt })
    expect(events.at(-1)).toMatchObject({ name: 'room.ended', payload: { reason: 'empty' } })
  })

  test('does not keep the server from stopping; the next start knows how the session ended', async () => {
    const { session, legId } = await join('Ada', 'r')
    world.failWrites(away)
    await world.clock.advance(2000)
    session.departures.hangUp(legId)
    await world.clock.advance(GRACE.sessionGraceMs)
    const endedAt = world.clock.now()
    await world.clock.advance(60_000)
    await inTime(world.registry.stop())
    world.failWrites(null)
    world.registry = world.newRegistry()
    await world.registry.recover()
    const { record, members, events } = await world.history(session)
    expect(record).toMatchObject({ status: 'completed', end_time: endedAt })
    expect(members).toMatchObject([{ leave_time: endedAt }])
    expect(events.at(-1)).toMatchObject({ name: 'room.ended', payload: { reason: 'empty' } })
  })

  test('has what matters least dropped when too much waits, and the rest in order', async () => {
    const lines: Record<string, unknown>[] = []
    const log = pino({ level: 'error' }, { write: (line) => lines.push(JSON.parse(line)) })
    const owner = { projectId: world.projectId, roomId: null, sessionId: newId() }
    const budget = WriteQueueBudget.overall({ records: 100, bytes: 1e6 })
    const { storage, clock } = world
    const writes = new SessionWriteQueue({ storage, clock, log, owner, budget })
    world.failWrites(away)
    const written: string[] = []
    for (let turn = 0; turn < 300; turn++) {
      writes.event('history.mended', { payload: { what: 'turn', id: turn } })
      writes.write(async () => written.push(`record ${turn}`), 'record')
      if (turn % 10 === 0) writes.write(async () => written.push(`end ${turn}`), 'vital')
    }
    world.failWrites(null)
    await world.clock.advance(60_000)
    const ends = written.filter((one) => one.startsWith('end'))
    expect(ends).toEqual(Array.from({ length: 30 }, (_, index) => `end ${index * 10}`))
    expect(written.length).toBeLessThan(110)
    expect(written.at(-1)).toBe('record 299')
    expect(lines.filter(({ dropped }) => Number(dropped) > 0).length).toBeGreaterThan(10)
  })
})

describe('the reconciler', () => {
  beforeEach(async () => {
    world = await SessionWorld.open()
    await world.registry.recover()
    return () => world.close()
  })

  test('mends what is stored otherwise than it is, within a minute, and says so', async () => {
    const { storage, projectId } = world
    const ada = await join('Ada', 'r')
    const bob = await join('Bob', 'r')
    await ada.session.recordings.start()
    ada.session.departures.hangUp(bob.legId)
    const { session } = ada
    await world.clock.advance(1000)
    await storage.members.update(projectId, bob.id, { leave_time: null })
    await storage.members.update(projectId, ada.id, { leave_time: world.clock.now() })
    await storage.calls.end(projectId, ada.legId, world.clock.now())
    const [recording] = session.recordings.all
    await storage.recordings.update(projectId, recording?.id ?? '', { status: 'completed' })
    await storage.sessions.update(projectId, session.id, { status: 'completed', end_time: 7 })
    await world.clock.advance(60_000)
    const { record, members, recordings, events } = await world.history(session)
    expect(record).toMatchObject({ status: 'in-progress', end_time: null })
    expect(members.find(({ id }) => id === bob.id)?.leave_time).not.toBeNull()
    expect(members.find(({ id }) => id === ada.id)?.leave_time).toBeNull()
    expect(recordings).toMatchObject([{ status: 'recording' }])
    expect((await storage.calls.find(projectId, ada.legId))?.status).toBe('in-progress')
    const mended = events.filter(({ name }) => name === 'history.mended').map(({ payload }) => payload.what)
    expect(mended.toSorted()).toEqual(['calls', 'members', 'members', 'recording', 'session'])
    await world.clock.advance(120_000)
    expect(
      (await world.history(session)).events.filter(({ name }) => name === 'history.mended'),
    ).toHaveLength(5)
  })

  test('completes a session that nobody runs', async () => {
    const { session } = await join('Ada', 'r')
    const other = { ...(await world.history(session)).record, id: newId(), name: 'left behind' }
    await world.storage.sessions.insert(other as never)
    await world.clock.advance(60_000)
    expect((await world.storage.sessions.find(world.projectId, other.id))?.status).toBe('completed')
    expect((await world.history(session)).record?.status).toBe('in-progress')
  })
})

describe('a disk that runs full', () => {
  beforeEach(async () => {
    world = await SessionWorld.open()
    return () => world.close()
  })

  test('gets no new recordings, with an event and words that say what to do', async () => {
    const { session } = await join('Ada', 'r')
    world.freeBytes = 499e6
    const refused = await session.recordings.start().catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'no_space', message: expect.stringMatching(/make room/) })
    await world.settled()
    const { recordings, events } = await world.history(session)
    expect(recordings).toEqual([])
    expect(events.at(-1)).toMatchObject({ name: 'recording.refused', payload: { reason: 'disk_low' } })
  })

  test('has those that run finished while there is room', async () => {
    const { session } = await join('Ada', 'r')
    await session.recordings.start()
    world.freeBytes = 300e6
    await world.clock.advance(3000)
    expect(session.runningRecordings).toHaveLength(1)
    world.freeBytes = 249e6
    await world.clock.advance(1000)
    const { recordings, events } = await world.history(session)
    expect(recordings).toMatchObject([{ status: 'completed', duration_ms: 4000, size_in_bytes: 1000 }])
    expect(events.find(({ name }) => name === 'recording.ended')).toMatchObject({
      level: 'error',
      payload: { reason: 'disk_low' },
    })
  })
})

describe('a machine whose clock is set', () => {
  beforeEach(async () => {
    world = await SessionWorld.open()
    return () => world.close()
  })
  const HOURS = 3_600_000

  test.each([2 * HOURS, -2 * HOURS])('by %s ms: durations stay true, nobody is removed', async (byMs) => {
    await world.addRoom({ name: 'r', remove_after_seconds_elapsed: 600 })
    const { session, legId, id } = await join('Ada', 'r')
    await session.recordings.start()
    await world.clock.advance(5000)
    world.clock.jump(byMs)
    await world.clock.advance(5000)
    expect(session.member(id)).toBeDefined()
    const late = await join('Bob', 'r')
    await world.clock.advance(2000)
    session.departures.hangUp(legId)
    session.departures.hangUp(late.legId)
    await world.clock.advance(GRACE.sessionGraceMs)
    const { record, members, recordings, events } = await world.history(session)
    const lasted = (from: number | null, to: number | null) => (to ?? 0) - (from ?? 0)
    expect(lasted(record!.start_time, record!.end_time)).toBe(12_000 + GRACE.sessionGraceMs)
    expect(members.map(({ join_time, leave_time }) => lasted(join_time, leave_time))).toEqual([12_000, 2000])
    expect(recordings.map(({ started_at, finished_at }) => lasted(started_at, finished_at))).toEqual([
      12_000 + GRACE.sessionGraceMs,
    ])
    for (const { payload } of events) expect(Number(payload.duration_ms ?? 0)).toBeLessThan(60_000)
    for (const { payload } of events) expect(Number(payload.duration_ms ?? 0)).toBeGreaterThanOrEqual(0)
  })

  test('has members removed after their seconds, and at their time of day', async () => {
    const { session, id } = await join('Ada', 'r')
    world.clock.jump(2 * HOURS)
    const leavesAt = world.clock.now() + 30_000
    const bob = new Witness('Bob')
    await world.join(bob, { room_name: 'r', remove_at: leavesAt })
    const carla = new Witness('Carla')
    await world.join(carla, { room_name: 'r', remove_after_seconds_elapsed: 20 })
    await world.clock.advance(19_000)
    expect([bob, carla].map(({ ended }) => ended.length)).toEqual([0, 0])
    await world.clock.advance(1000)
    expect([bob, carla].map(({ ended }) => ended.length)).toEqual([0, 1])
    await world.clock.advance(10_000)
    expect(bob.ended).toMatchObject([{ cause: 'time_over' }])
    expect(session.member(id)).toBeDefined()
  })

  test('keeps the last sign of life of a session by its own clock', async () => {
    const { session } = await join('Ada', 'r')
    await world.clock.advance(3000)
    world.clock.jump(2 * HOURS)
    await world.clock.advance(3000)
    world.registry = world.newRegistry()
    await world.registry.recover()
    const { record } = await world.history(session)
    const lastedMs = (record?.end_time ?? 0) - (record?.start_time ?? 0)
    expect(lastedMs).toBeGreaterThanOrEqual(5000)
    expect(lastedMs).toBeLessThanOrEqual(6000)
  })
})
