import type { Kysely } from 'kysely'

/**
 * Indexes by which a database finds the rows that refer to one that is deleted; without them it reads whole tables for
 * each.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['conference_tokens', 'conference_id'],
    ['streams', 'room_id'],
  ] as const) {
    await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute()
  }
  // It held only the events of sessions, and so was of no use to find those of a project.
  await db.schema.dropIndex('events_by_room_session_id').execute()
  await db.schema
    .createIndex('events_by_room_session_id')
    .on('events')
    .columns(['project_id', 'room_session_id', 'created_at', 'id'])
    .execute()
}
