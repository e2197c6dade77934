import { type Kysely, sql } from 'kysely'
import { textType } from './column-types.ts'

/**
 * Adds webhooks and their outbox. Nothing in the outbox refers to a webhook by a foreign key: a webhook is deleted at
 * once, and what waited for it in portions.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('webhooks')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('description', text, (column) => column.notNull())
    .addColumn('events', text)
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('disabled_reason', text)
    .addColumn('failing_since', 'bigint')
    .addColumn('sealed_secret', text, (column) => column.notNull())
    .addColumn('sealed_previous_secret', text)
    .addColumn('previous_secret_expires_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('webhooks_by_time')
    .on('webhooks')
    .columns(['project_id', 'created_at', 'id'])
    .execute()

  // One row for each webhook and session: what is sent one after the other.
  await db.schema
    .createTable('webhook_streams')
    .addColumn('webhook_id', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('last_sequence', 'bigint', (column) => column.notNull())
    .addColumn('done_sequence', 'bigint', (column) => column.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('holder', text)
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('webhook_streams_by_webhook', ['webhook_id', 'id'])
    .execute()
  await db.schema
    .createIndex('webhook_streams_due')
    .on('webhook_streams')
    .columns(['webhook_id', 'next_at'])
    .where(sql<boolean>`next_at is not null`)
    .execute()
  await db.schema
    .createIndex('webhook_streams_by_project')
    .on('webhook_streams')
    .column('project_id')
    .execute()

  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('webhook_id', text, (column) => column.notNull())
    .addColumn('event_id', text, (column) => column.notNull())
    .addColumn('event_name', text, (column) => column.notNull())
    .addColumn('room_session_id', text)
    .addColumn('stream_id', text, (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('replay_of', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('attempt_log', text, (column) => column.notNull())
    .addColumn('first_attempt_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('finished_at', 'bigint')
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_in_order')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'stream_id', 'sequence'])
    .unique()
    .execute()
  await db.schema
    .createIndex('webhook_deliveries_by_time')
    .on('webhook_deliveries')
    .columns(['project_id', 'webhook_id', 'created_at', 'id'])
    .execute()
  // Deliveries that went well are most of them, and are found by time.
  await db.schema
    .createIndex('webhook_deliveries_not_delivered')
    .on('webhook_deliveries')
    .columns(['project_id', 'webhook_id', 'status', 'created_at', 'id'])
    .where(sql<boolean>`status <> 'delivered'`)
    .execute()
}
