import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds revoked room tokens. Valid room tokens are signed and not stored. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('revoked_room_tokens')
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('token_id', text, (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('revoked_room_tokens_by_id', ['token_id', 'project_id'])
    .execute()
  await db.schema
    .createIndex('revoked_room_tokens_by_expiry')
    .on('revoked_room_tokens')
    .column('expires_at')
    .execute()
  await db.schema
    .createIndex('revoked_room_tokens_by_project')
    .on('revoked_room_tokens')
    .column('project_id')
    .execute()
}
