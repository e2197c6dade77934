import { sql } from 'kysely'
import { systemClock } from '../../server/src/clock.ts'
import { HOUR_MS } from '../../server/src/dashboard/hours.ts'
import { createSessionSearch } from '../../server/src/dashboard/session-search.ts'
import { UsageStatistics } from '../../server/src/dashboard/usage.ts'
import { createRoomSessions } from '../../server/src/rooms/room-sessions.ts'
import { migrate } from '../../server/src/storage/migrate.ts'
import { openDatabase, openStorage } from '../../server/src/storage/open-storage.ts'
import { repositories } from '../../server/src/storage/repositories.ts'
import type { Database } from '../../server/src/storage/tables.ts'
import { sampleMember, sampleSession } from '../../server/src/testing/sample-records.ts'
import { median } from '../median.ts'
import { report } from '../report.ts'

const SESSIONS = 1_000_000
const DAY_MS = 24 * HOUR_MS
const TRIES = 40
const PROJECT = 'measured'
const NOW = Date.now()

/** Fills an empty database, and measures every list that the screen of sessions shows. */
export async function measureSessions(kind: string, location: string): Promise<void> {
  const db = await openDatabase(location)
  await migrate(db)
  await fill(db)
  await sql.raw(kind === 'SQLite' ? 'analyze' : 'vacuum analyze').execute(db)
  await db.destroy()
  const storage = await openStorage(location)
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
  const lists: [string, () => Promise<unknown>][] = [
    ['all', () => search.list(PROJECT, {}, page)],
    ['deep in the list', () => search.list(PROJECT, {}, deep)],
    ['of a room', () => search.list(PROJECT, { roomName: 'room-7' }, page)],
    ['of a room on a day', () => search.list(PROJECT, { roomName: 'room-7', ...days }, page)],
    ['of a person', () => search.list(PROJECT, { person: 'PERSON-7' }, page)],
    ['of a person on a day', () => search.list(PROJECT, { person: 'person-7', ...days }, page)],
    ['of a room without any', () => search.list(PROJECT, { roomName: 'nothing' }, page)],
    ['suggested names', () => search.names(PROJECT, 'p')],
    ['use of a day', () => statistics.ofLast(PROJECT, 24)],
  ]
  // What is over is read once.
  await statistics.ofLast(PROJECT, 24)
  let worst = 0
  for (const [what, list] of lists) {
    const times: number[] = []
    for (let count = 0; count < TRIES; count++) {
      const startMs = performance.now()
      await list()
      times.push(performance.now() - startMs)
    }
    console.log(
      `${kind}, ${what}: ${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms`,
    )
    worst = Math.max(worst, median(times))
  }
  const startMs = performance.now()
  await new UsageStatistics(parts).ofLast(PROJECT, 30 * 24)
  console.log(
    `${kind}, use of 30 days, read for the first time: ${(performance.now() - startMs).toFixed(0)} ms`,
  )
  await storage.close()
  report({
    what: `${kind}, slowest list of 1,000,000 sessions`,
    value: worst,
    unit: 'ms',
    limit: 100,
    direction: 'at most',
  })
}

/** A million sessions of thirty days, in a thousand rooms, each with somebody of a thousand people. */
async function fill(db: Database): Promise<void> {
  const { projects, sessions, members } = repositories(db)
  for (const id of ['template', PROJECT]) await projects.insert({ id, name: id, created_at: 1 })
  const template = { project_id: 'template', id: 'template' }
  const leave_time = NOW
  await sessions.insert(sampleSession({ ...template, status: 'completed' }))
  await members.insert(sampleMember({ ...template, room_session_id: 'template', leave_time }))
  const at = `${NOW} - cast(n as bigint) * ${Math.floor((30 * DAY_MS) / SESSIONS)}`
  const end = `${at} + 1800000`
  await multiply(db, 'room_sessions', {
    id: `'s' || n`,
    project_id: `'${PROJECT}'`,
    name: `'room-' || (n % 1000)`,
    created_at: at,
    start_time: at,
    end_time: end,
  })
  await multiply(db, 'room_members', {
    id: `'m' || n`,
    project_id: `'${PROJECT}'`,
    room_session_id: `'s' || n`,
    name: `'Person-' || (n % 1000)`,
    join_time: at,
    leave_time: end,
  })
}

/** Copies the only row of a table, with these columns changed. */
async function multiply(
  db: Database,
  table: 'room_sessions' | 'room_members',
  changed: Record<string, string>,
): Promise<void> {
  const [row] = await db.selectFrom(table).selectAll().limit(1).execute()
  const names = Object.keys(row ?? {})
  const values = names.map((name) => changed[name] ?? `t.${name}`)
  await sql
    .raw(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${SESSIONS})
       insert into ${table} (${names.join(', ')})
       select ${values.join(', ')} from numbers, (select * from ${table} where project_id = 'template') as t`,
    )
    .execute(db)
}
