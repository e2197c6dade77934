import { type Kysely, sql } from 'kysely'
import { textType } from './column-types.ts'

/**
 * Adds what the list of recordings is read by (the room of a recording, and indexes), how long recordings are kept, links
 * by which a recording is shared, and files that are still to be removed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await addRooms(db)
  await addIndexes(db)
  await addRetention(db)
  await addShares(db)
  await db.schema
    .createTable('removed_files')
    .addColumn('file', textType(db), (column) => column.primaryKey().notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}

/** A recording has the room of its session, so that a list by room needs no other table. */
async function addRooms(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  const recordings = db.schema.alterTable('room_recordings')
  await recordings.addColumn('room_id', text).execute()
  await recordings.addColumn('room_name', text, (column) => column.notNull().defaultTo('')).execute()
  const session = 'from room_sessions where room_sessions.id = room_recordings.room_session_id'
  await sql
    .raw(
      `update room_recordings
       set room_id = (select room_id ${session}), room_name = coalesce((select name ${session}), '')`,
    )
    .execute(db)
}

async function addIndexes(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('room_recordings_by_room')
    .on('room_recordings')
    .columns(['project_id', 'room_name', 'created_at', 'id'])
    .execute()
  // The new index serves the recordings of all projects too: few are unfinished.
  await db.schema.dropIndex('room_recordings_unfinished').execute()
  await db.schema
    .createIndex('room_recordings_unfinished_of_project')
    .on('room_recordings')
    .columns(['project_id', 'created_at', 'id'])
    .where(sql<boolean>`status <> 'completed'`)
    .execute()
  await db.schema
    .createIndex('room_recordings_by_age')
    .on('room_recordings')
    .columns(['project_id', 'finished_at', 'id', 'room_id', 'size_in_bytes'])
    .where(sql<boolean>`finished_at is not null`)
    .execute()
}

async function addRetention(db: Kysely<unknown>): Promise<void> {
  for (const table of ['projects', 'rooms']) {
    await db.schema.alterTable(table).addColumn('recording_retention_days', 'integer').execute()
  }
  await db.schema
    .createIndex('rooms_with_retention')
    .on('rooms')
    .columns(['project_id', 'id', 'recording_retention_days'])
    .where(sql<boolean>`recording_retention_days is not null`)
    .execute()
}

async function addShares(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('recording_shares')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('recording_id', text, (column) =>
      column.notNull().references('room_recordings.id').onDelete('cascade'),
    )
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('recording_shares_by_hash')
    .on('recording_shares')
    .column('hash')
    .unique()
    .execute()
  await db.schema
    .createIndex('recording_shares_of_recording')
    .on('recording_shares')
    .columns(['recording_id', 'created_at'])
    .execute()
  await db.schema
    .createIndex('recording_shares_of_project')
    .on('recording_shares')
    .column('project_id')
    .execute()
  await db.schema
    .createIndex('recording_shares_by_expiry')
    .on('recording_shares')
    .column('expires_at')
    .execute()
}
