import { systemClock } from '../../server/src/clock.ts'
import { createSessionSearch } from '../../server/src/dashboard/session-search.ts'
import { UsageStatistics } from '../../server/src/dashboard/usage.ts'
import { createRoomSessions } from '../../server/src/rooms/room-sessions.ts'
import { repositories } from '../../server/src/storage/repositories.ts'
import type { Database } from '../../server/src/storage/tables.ts'
import { sampleMember, sampleSession } from '../../server/src/testing/sample-records.ts'
import {
  BEGUN_AT,
  DAY_MS,
  elapsedMs,
  measureLists,
  multiply,
  NOW,
  openFilled,
  PROJECT,
  TEMPLATE,
} from './million.ts'

/** Fills an empty database, and measures every list that the screen of sessions shows. */
export async function measureSessions(kind: string, location: string): Promise<void> {
  const storage = await openFilled(kind, location, fill)
  const sessions = { written: async () => {}, runningSessions: () => [], recordedMs: () => null }
  const prices = {
    pricePerMemberMinute720p: 0.004,
    pricePerMemberMinute1080p: 0.008,
    pricePerRecordedMinute: 0.002,
    pricePerStreamedMinute: 0.002,
  }
  const parts = { storage, sessions, clock: systemClock, prices }
  const search = createSessionSearch({ ...parts, roomSessions: createRoomSessions(parts) })
  const days = { since: NOW - 15 * DAY_MS, until: NOW - 14 * DAY_MS }
  const page = { limit: 50 }
  const deep = { ...page, cursor: { at: NOW - 20 * DAY_MS, id: 'x', direction: 'after' as const } }
  const statistics = new UsageStatistics(parts)
  // What is over is read once.
  await statistics.ofLast(PROJECT, 24)
  await measureLists(kind, 'sessions', [
    ['all', () => search.list(PROJECT, {}, page)],
    ['deep in the list', () => search.list(PROJECT, {}, deep)],
    ['of a room', () => search.list(PROJECT, { roomName: 'room-7' }, page)],
    ['of a room on a day', () => search.list(PROJECT, { roomName: 'room-7', ...days }, page)],
    ['of a person', () => search.list(PROJECT, { person: 'PERSON-7' }, page)],
    ['of a person on a day', () => search.list(PROJECT, { person: 'person-7', ...days }, page)],
    ['of a room without any', () => search.list(PROJECT, { roomName: 'nothing' }, page)],
    ['suggested names', () => search.names(PROJECT, 'p')],
    ['use of a day', () => statistics.ofLast(PROJECT, 24)],
  ])
  const firstMs = await elapsedMs(() => new UsageStatistics(parts).ofLast(PROJECT, 30 * 24))
  console.log(`${kind}, use of 30 days, read for the first time: ${firstMs.toFixed(0)} ms`)
  await storage.close()
}

/** A million sessions in a thousand rooms, each with somebody of a thousand people. */
async function fill(db: Database): Promise<void> {
  const { projects, sessions, members } = repositories(db)
  for (const id of [TEMPLATE, PROJECT]) await projects.insert({ id, name: id, created_at: 1 })
  const template = { project_id: TEMPLATE, id: TEMPLATE }
  await sessions.insert(sampleSession({ ...template, status: 'completed' }))
  await members.insert(sampleMember({ ...template, room_session_id: TEMPLATE, leave_time: NOW }))
  const end = `${BEGUN_AT} + 1800000`
  await multiply(db, 'room_sessions', {
    id: `'s' || n`,
    project_id: `'${PROJECT}'`,
    name: `'room-' || (n % 1000)`,
    created_at: BEGUN_AT,
    start_time: BEGUN_AT,
    end_time: end,
  })
  await multiply(db, 'room_members', {
    id: `'m' || n`,
    project_id: `'${PROJECT}'`,
    room_session_id: `'s' || n`,
    name: `'Person-' || (n % 1000)`,
    join_time: BEGUN_AT,
    leave_time: end,
  })
}
