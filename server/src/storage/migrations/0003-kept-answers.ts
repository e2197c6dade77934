import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds stored answers to requests with an `Idempotency-Key`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('kept_answers')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('idempotency_key', text, (column) => column.notNull())
    .addColumn('request_hash', text, (column) => column.notNull())
    .addColumn('status', 'integer', (column) => column.notNull())
    .addColumn('body', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('kept_answers_by_key', ['project_id', 'idempotency_key'])
    .execute()
  await db.schema.createIndex('kept_answers_by_time').on('kept_answers').column('created_at').execute()
}
