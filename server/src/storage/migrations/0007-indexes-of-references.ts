import type { Kysely } from 'kysely'

/**
 * Adds indexes to find the rows that refer to a deleted row. Without them, the database reads whole tables for each
 * deleted row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['conference_tokens', 'conference_id'],
    ['streams', 'room_id'],
  ] as const) {
    await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute()
  }
  // The old index held only events of sessions, so it could not be used to find the events of a project.
  await db.schema.dropIndex('events_by_room_session_id').execute()
  await db.schema
    .createIndex('events_by_room_session_id')
    .on('events')
    .columns(['project_id', 'room_session_id', 'created_at', 'id'])
    .execute()
}
