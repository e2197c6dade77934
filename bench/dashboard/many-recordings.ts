import { sql } from 'kysely'
import { HOUR_MS } from '../../server/src/dashboard/hours.ts'
import type { RecordingFilter } from '../../server/src/storage/interfaces/recordings.ts'
import { migrate } from '../../server/src/storage/migrate.ts'
import { openDatabase, openStorage } from '../../server/src/storage/open-storage.ts'
import { repositories } from '../../server/src/storage/repositories.ts'
import type { Database } from '../../server/src/storage/tables.ts'
import { sampleRecording } from '../../server/src/testing/sample-records.ts'
import { median } from '../median.ts'
import { report } from '../report.ts'

const RECORDINGS = 1_000_000
const DAY_MS = 24 * HOUR_MS
const TRIES = 40
const PROJECT = 'measured'
const NOW = Date.now()

/** Fills an empty database, and measures every list that the screen of recordings shows, and the rule for their age. */
export async function measureRecordings(kind: string, location: string): Promise<void> {
  const db = await openDatabase(location)
  await migrate(db)
  await fill(db)
  await sql.raw(kind === 'SQLite' ? 'analyze' : 'vacuum analyze').execute(db)
  await db.destroy()
  const storage = await openStorage(location)
  const { recordings, retention } = storage
  const days = { since: NOW - 15 * DAY_MS, until: NOW - 14 * DAY_MS }
  const page = { limit: 50 }
  const deep = { ...page, cursor: { at: NOW - 20 * DAY_MS, id: 'x', direction: 'after' as const } }
  const list = (filter: RecordingFilter) => () => recordings.list(PROJECT, filter, page)
  const lists: [string, () => Promise<unknown>][] = [
    ['all', list({})],
    ['deep in the list', () => recordings.list(PROJECT, {}, deep)],
    ['of a room', list({ roomName: 'room-7' })],
    ['of a room on a day', list({ roomName: 'room-7', ...days })],
    ['of a day', list(days)],
    ['completed', list({ status: 'completed' })],
    ['completed, of a room', list({ roomName: 'room-7', status: 'completed' })],
    ['running', list({ status: 'recording' })],
    ['running, of a room', list({ status: 'recording', roomName: 'room-7' })],
    ['of a room without any', list({ roomName: 'nothing' })],
    ['a page of old ones', () => retention.finishedBefore(PROJECT, NOW - 5 * DAY_MS, null, 200)],
  ]
  let worst = 0
  for (const [what, read] of lists) {
    const times: number[] = []
    for (let count = 0; count < TRIES; count++) {
      const startMs = performance.now()
      await read()
      times.push(performance.now() - startMs)
    }
    console.log(
      `${kind}, ${what}: ${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms`,
    )
    worst = Math.max(worst, median(times))
  }
  const startMs = performance.now()
  const { count } = await retention.countFinishedBefore(PROJECT, NOW - 5 * DAY_MS, null)
  console.log(`${kind}, count of ${count} old ones: ${(performance.now() - startMs).toFixed(0)} ms`)
  await storage.close()
  report({
    what: `${kind}, slowest list of 1,000,000 recordings`,
    value: worst,
    unit: 'ms',
    limit: 100,
    direction: 'at most',
  })
}

/** A million recordings of thirty days, in a thousand rooms. The newest hundred are still running. */
async function fill(db: Database): Promise<void> {
  const { projects, recordings } = repositories(db)
  for (const id of ['template', PROJECT]) await projects.insert({ id, name: id, created_at: 1 })
  await recordings.insert(
    sampleRecording({ project_id: 'template', room_session_id: 'template', id: 'template' }),
  )
  const at = `${NOW} - cast(n as bigint) * ${Math.floor((30 * DAY_MS) / RECORDINGS)}`
  const changed: Record<string, string> = {
    id: `'r' || n`,
    project_id: `'${PROJECT}'`,
    room_id: `'id-' || (n % 1000)`,
    room_name: `'room-' || (n % 1000)`,
    room_session_id: `'s' || n`,
    status: `case when n <= 100 then 'recording' else 'completed' end`,
    created_at: at,
    started_at: at,
    finished_at: `case when n > 100 then ${at} + 1800000 end`,
  }
  const [row] = await db.selectFrom('room_recordings').selectAll().limit(1).execute()
  const names = Object.keys(row ?? {})
  const values = names.map((name) => changed[name] ?? `t.${name}`)
  await sql
    .raw(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${RECORDINGS})
       insert into room_recordings (${names.join(', ')})
       select ${values.join(', ')} from numbers, (select * from room_recordings where project_id = 'template') as t`,
    )
    .execute(db)
}
