import { type Kysely, sql } from 'kysely'
import { textType } from './column-types.ts'

/** Adds messages of chat channels. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('chat_messages')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('room_session_id', text)
    .addColumn('member_id', text, (column) => column.notNull())
    .addColumn('from_name', text)
    .addColumn('to_name', text)
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('meta', text)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('chat_messages_by_channel')
    .on('chat_messages')
    .columns(['project_id', 'channel', 'created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('chat_messages_of_conferences')
    .on('chat_messages')
    .columns(['project_id', 'created_at', 'id'])
    .where(sql<boolean>`room_session_id is not null`)
    .execute()
}
