import type { RecordingFilter } from '../../server/src/storage/interfaces/recordings.ts'
import { repositories } from '../../server/src/storage/repositories.ts'
import type { Database } from '../../server/src/storage/tables.ts'
import { sampleRecording } from '../../server/src/testing/sample-records.ts'
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

/** Fills an empty database, and measures every list that the screen of recordings shows, and the rule for their age. */
export async function measureRecordings(kind: string, location: string): Promise<void> {
  const storage = await openFilled(kind, location, fill)
  const { recordings, retention } = storage
  const days = { since: NOW - 15 * DAY_MS, until: NOW - 14 * DAY_MS }
  const page = { limit: 50 }
  const deep = { ...page, cursor: { at: NOW - 20 * DAY_MS, id: 'x', direction: 'after' as const } }
  const old = NOW - 5 * DAY_MS
  const list = (filter: RecordingFilter) => () => recordings.list(PROJECT, filter, page)
  await measureLists(kind, 'recordings', [
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
    ['a page of old ones', () => retention.finishedBefore(PROJECT, old, null, 200)],
  ])
  const countMs = await elapsedMs(() => retention.countFinishedBefore(PROJECT, old, null))
  console.log(`${kind}, count of the old ones: ${countMs.toFixed(0)} ms`)
  await storage.close()
}

/** A million recordings in a thousand rooms. The newest hundred are still running. */
async function fill(db: Database): Promise<void> {
  const { projects, recordings } = repositories(db)
  for (const id of [TEMPLATE, PROJECT]) await projects.insert({ id, name: id, created_at: 1 })
  await recordings.insert(sampleRecording({ project_id: TEMPLATE, room_session_id: TEMPLATE, id: TEMPLATE }))
  await multiply(db, 'room_recordings', {
    id: `'r' || n`,
    project_id: `'${PROJECT}'`,
    room_id: `'id-' || (n % 1000)`,
    room_name: `'room-' || (n % 1000)`,
    room_session_id: `'s' || n`,
    status: `case when n <= 100 then 'recording' else 'completed' end`,
    created_at: BEGUN_AT,
    started_at: BEGUN_AT,
    finished_at: `case when n > 100 then ${BEGUN_AT} + 1800000 end`,
  })
}
