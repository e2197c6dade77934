import { type Kysely, sql } from 'kysely'

/** Adds the index by which sessions are found by the name of somebody who was there, written in small letters. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('room_members_by_person')
    .on('room_members')
    .columns(['project_id', sql`lower(name)`, 'join_time', 'id'] as never)
    .where(sql<boolean>`parent_id is null`)
    .execute()
}
