import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/**
 * Adds sign-ins of subscribers, so that their tokens can be revoked. Adds the rooms that a project opens to its
 * subscribers; by default all.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema.alterTable('projects').addColumn('subscriber_rooms', text).execute()
  await db.schema
    .createTable('subscriber_sign_ins')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('subscriber_id', text, (column) =>
      column.notNull().references('subscribers.id').onDelete('cascade'),
    )
    .addColumn('refresh_token_id', text, (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('subscriber_sign_ins_by_project')
    .on('subscriber_sign_ins')
    .columns(['project_id', 'subscriber_id'])
    .execute()
  await db.schema
    .createIndex('subscriber_sign_ins_by_subscriber')
    .on('subscriber_sign_ins')
    .columns(['subscriber_id'])
    .execute()
}
