import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/**
 * Adds the audit log. It has no column `project_id` and no reference to `projects`: the entries of a deleted project
 * stay, including the entry that says who deleted it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('audit_entries')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('actor_kind', text, (column) => column.notNull())
    .addColumn('actor', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('about_project', text)
    .addColumn('target', text)
    .addColumn('details', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('audit_entries_by_time')
    .on('audit_entries')
    .columns(['created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('audit_entries_by_project')
    .on('audit_entries')
    .columns(['about_project', 'created_at', 'id'])
    .execute()
}
