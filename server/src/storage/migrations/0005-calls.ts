import { type Kysely, sql } from 'kysely'
import { textType } from './column-types.ts'

/** Adds calls. Every leg of a client is a call. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  // No reference to the session, as for members: a leg may be written before or after its session.
  await db.schema
    .createTable('calls')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_session_id', text, (column) => column.notNull())
    .addColumn('parent_id', text)
    .addColumn('from_name', text, (column) => column.notNull())
    .addColumn('to_name', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('calls_in_progress')
    .on('calls')
    .columns(['project_id', 'status', 'created_at', 'id'])
    .where(sql<boolean>`status = 'in-progress'`)
    .execute()
  await db.schema
    .createIndex('calls_by_parent')
    .on('calls')
    .columns(['project_id', 'parent_id', 'created_at', 'id'])
    .where(sql<boolean>`parent_id is not null`)
    .execute()
  for (const [suffix, filter] of [
    ['time', []],
    ['from', ['from_name']],
    ['to', ['to_name']],
  ] as const) {
    await db.schema
      .createIndex(`calls_by_${suffix}`)
      .on('calls')
      .columns(['project_id', ...filter, 'created_at', 'id'])
      .execute()
  }
}
