import { type Kysely, sql } from 'kysely'
import { textType } from './column-types.ts'

/** Adds where the media of a recording are kept, and the index of those that are to be sent to the store. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  const recordings = db.schema.alterTable('room_recordings')
  await recordings.addColumn('place', text, (column) => column.notNull().defaultTo('disk')).execute()
  await recordings.addColumn('stored_at', 'bigint').execute()
  await recordings.addColumn('sha256', text).execute()
  await db.schema
    .createIndex('room_recordings_unsent')
    .on('room_recordings')
    .columns(['created_at', 'id'])
    .where(sql<boolean>`place = 'sending'`)
    .execute()
}
