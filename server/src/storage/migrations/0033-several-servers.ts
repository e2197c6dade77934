import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/**
 * Adds what several servers on one database need: which of them works on a request with an `Idempotency-Key`, and facts
 * on which all of them have to agree.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('running_requests')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('idempotency_key', text, (column) => column.notNull())
    .addColumn('holder', text, (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('running_requests_by_key', ['project_id', 'idempotency_key'])
    .execute()
  await db.schema
    .createTable('shared_facts')
    .addColumn('name', text, (column) => column.primaryKey().notNull())
    .addColumn('value', text, (column) => column.notNull())
    .execute()
}
