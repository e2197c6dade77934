import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds end users of a project, who may sign in with tokens of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('subscribers')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('reference', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('subscribers_by_reference')
    .on('subscribers')
    .columns(['project_id', 'reference'])
    .unique()
    .execute()
  await db.schema
    .createIndex('subscribers_by_time')
    .on('subscribers')
    .columns(['project_id', 'created_at', 'id'])
    .execute()
}
