import type { Kysely } from 'kysely'

/** Adds the index by which the streams of a whole project are listed, newest first. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('streams_by_time')
    .on('streams')
    .columns(['project_id', 'created_at', 'id'])
    .execute()
}
