import { type Kysely, sql } from 'kysely'
import { textType } from './column-types.ts'

/**
 * Adds indexes to find open rows without reading closed ones, and the row whose writes show that the database accepts
 * writes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, open] of [
    ['room_members', sql<boolean>`leave_time is null`],
    ['calls', sql<boolean>`status = 'in-progress'`],
    ['stream_runs', sql<boolean>`status = 'streaming'`],
  ] as const) {
    await db.schema.createIndex(`${table}_open`).on(table).column('room_session_id').where(open).execute()
  }
  await db.schema
    .createTable('heartbeats')
    .addColumn('id', textType(db), (column) => column.primaryKey().notNull())
    .addColumn('beat_at', 'bigint', (column) => column.notNull())
    .execute()
}
