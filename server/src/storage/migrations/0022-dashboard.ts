import { type Kysely, sql } from 'kysely'

/**
 * Adds the indexes that the figures of the dashboard are read from: time that ended within an hour, sizes of
 * recordings, and events that are problems. Each has all columns of its query, so that no row is read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, ended, others] of [
    ['room_members', 'leave_time', ['join_time', 'parent_id', 'room_session_id']],
    ['room_recordings', 'finished_at', ['started_at', 'duration_ms']],
    ['stream_runs', 'ended_at', ['started_at']],
  ] as const) {
    await db.schema
      .createIndex(`${table}_by_end`)
      .on(table)
      .columns(['project_id', ended, ...others])
      .where(sql<boolean>`${sql.ref(ended)} is not null`)
      .execute()
  }
  await db.schema
    .createIndex('room_recordings_by_size')
    .on('room_recordings')
    .columns(['project_id', 'size_in_bytes'])
    .execute()
  await db.schema
    .createIndex('events_of_problems')
    .on('events')
    .columns(['project_id', 'created_at', 'id'])
    .where(sql<boolean>`level <> 'info'`)
    .execute()
}
