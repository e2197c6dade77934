import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds how the connections of members were: a row for each, with all of its intervals. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('member_quality')
    .addColumn('member_id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_session_id', text, (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('interval_ms', 'bigint', (column) => column.notNull())
    .addColumn('series', text, (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('member_quality_of_session')
    .on('member_quality')
    .columns(['project_id', 'room_session_id', 'started_at', 'member_id'])
    .execute()
}
