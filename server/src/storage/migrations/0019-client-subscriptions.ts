import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds subscriptions of chat clients and back ends, so that they outlive a restart of the server. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('client_subscriptions')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('owner', text, (column) => column.notNull())
    .addColumn('subscriptions', text, (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('client_subscriptions_of_project')
    .on('client_subscriptions')
    .column('project_id')
    .execute()
}
