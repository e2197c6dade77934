import { type Kysely, sql } from 'kysely'
import { textType } from './column-types.ts'

/** Adds conferences (rooms with a theme), their tokens, and streams. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema.alterTable('rooms').addColumn('conference', text).execute()
  await splitRoomsByKind(db)

  await db.schema
    .createTable('conference_tokens')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('conference_id', text, (column) => column.notNull().references('rooms.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('conference_tokens_by_conference')
    .on('conference_tokens')
    .columns(['project_id', 'conference_id', 'created_at', 'id'])
    .execute()

  await createStreams(db)
}

/** Creates one index per kind, so that each list skips the rows of the other kind. */
async function splitRoomsByKind(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('rooms_by_time').execute()
  for (const [name, condition] of [
    ['rooms_by_time', sql<boolean>`conference is null`],
    ['conferences_by_time', sql<boolean>`conference is not null`],
  ] as const) {
    await db.schema
      .createIndex(name)
      .on('rooms')
      .columns(['project_id', 'created_at', 'id', 'join_from', 'join_until'])
      .where(condition)
      .execute()
  }
}

async function createStreams(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('streams')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_id', text, (column) => column.notNull().references('rooms.id').onDelete('cascade'))
    .addColumn('sealed_url', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('streams_by_room')
    .on('streams')
    .columns(['project_id', 'room_id', 'created_at', 'id'])
    .execute()

  // No reference to the stream: the run stays known after the stream is deleted.
  await db.schema
    .createTable('stream_runs')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_session_id', text, (column) =>
      column.notNull().references('room_sessions.id').onDelete('cascade'),
    )
    .addColumn('stream_id', text)
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('stream_runs_by_time')
    .on('stream_runs')
    .columns(['project_id', 'created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('stream_runs_by_session')
    .on('stream_runs')
    .columns(['room_session_id', 'status'])
    .execute()
}
