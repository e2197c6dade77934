import type { Kysely } from 'kysely'
import { textType } from './column-types.ts'

/** Adds people who sign in: users with a role in a project, their sessions in browsers, and one-time links. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('users')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('name_key', text, (column) => column.notNull())
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('password_hash', text)
    .addColumn('identity', text)
    .addColumn('last_sign_in_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await uniqueIndex(db, 'users', 'users_by_name', ['name_key', 'project_id'])
  await uniqueIndex(db, 'users', 'users_by_identity', ['identity', 'project_id'])
  await index(db, 'users', 'users_of_project', ['project_id', 'created_at', 'id'])

  await db.schema
    .createTable('user_sessions')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('user_id', text, (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('user_agent', text, (column) => column.notNull())
    .addColumn('last_used_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await uniqueIndex(db, 'user_sessions', 'user_sessions_by_hash', ['hash'])
  await index(db, 'user_sessions', 'user_sessions_of_user', ['user_id'])
  await index(db, 'user_sessions', 'user_sessions_of_project', ['project_id'])

  await db.schema
    .createTable('user_invitations')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('user_id', text, (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await uniqueIndex(db, 'user_invitations', 'user_invitations_by_hash', ['hash'])
  await index(db, 'user_invitations', 'user_invitations_of_user', ['user_id'])
  await index(db, 'user_invitations', 'user_invitations_of_project', ['project_id'])
}

const index = (db: Kysely<unknown>, table: string, name: string, columns: string[]) =>
  db.schema.createIndex(name).on(table).columns(columns).execute()

const uniqueIndex = (db: Kysely<unknown>, table: string, name: string, columns: string[]) =>
  db.schema.createIndex(name).on(table).columns(columns).unique().execute()
