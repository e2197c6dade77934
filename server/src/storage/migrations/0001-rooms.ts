import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely'
import { textType } from './column-types.ts'

/** Settings that rooms and sessions share. */
function withRoomSettings<Name extends string, Columns extends string>(
  table: CreateTableBuilder<Name, Columns>,
  text: RawBuilder<unknown>,
) {
  return table
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('display_name', text)
    .addColumn('max_members', 'integer', (column) => column.notNull())
    .addColumn('quality', text, (column) => column.notNull())
    .addColumn('fps', 'integer', (column) => column.notNull())
    .addColumn('join_from', 'bigint')
    .addColumn('join_until', 'bigint')
    .addColumn('remove_at', 'bigint')
    .addColumn('remove_after_seconds_elapsed', 'integer')
    .addColumn('layout', text, (column) => column.notNull())
    .addColumn('record_on_start', 'integer', (column) => column.notNull())
    .addColumn('tone_on_entry_and_exit', 'integer', (column) => column.notNull())
    .addColumn('room_join_video_off', 'integer', (column) => column.notNull())
    .addColumn('user_join_video_off', 'integer', (column) => column.notNull())
    .addColumn('enable_room_previews', 'integer', (column) => column.notNull())
    .addColumn('sync_audio_video', 'integer')
    .addColumn('prioritize_handraise', 'integer', (column) => column.notNull())
    .addColumn('meta', text)
}

/** Creates projects with their API tokens, rooms, sessions, members, recordings and events. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('projects')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('api_tokens')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('scopes', text, (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('api_tokens_by_project')
    .on('api_tokens')
    .columns(['project_id', 'created_at', 'id'])
    .execute()

  await createRooms(db)
  await createSessions(db)
  await createHistory(db)
}

async function createRooms(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  const table = db.schema
    .createTable('rooms')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
  await withRoomSettings(table, text)
    .addColumn('description', text)
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('rooms_by_name').on('rooms').columns(['project_id', 'name']).unique().execute()
  // The index ends with the time window, so that lists filtered by it skip other rooms within the index.
  await db.schema
    .createIndex('rooms_by_time')
    .on('rooms')
    .columns(['project_id', 'created_at', 'id', 'join_from', 'join_until'])
    .execute()
}

async function createSessions(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  // No reference to rooms: sessions outlive their room.
  const table = db.schema
    .createTable('room_sessions')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_id', text)
  await withRoomSettings(table, text)
    .addColumn('locked', 'integer', (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('start_time', 'bigint')
    .addColumn('end_time', 'bigint')
    .addColumn('alive_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  const inProgress = sql<boolean>`status = 'in-progress'`
  await db.schema
    .createIndex('room_sessions_in_progress')
    .on('room_sessions')
    .columns(['project_id', 'name'])
    .unique()
    .where(inProgress)
    .execute()
  await db.schema
    .createIndex('room_sessions_in_progress_by_room')
    .on('room_sessions')
    .columns(['project_id', 'room_id'])
    .where(inProgress)
    .execute()
  for (const [suffix, filter] of [
    ['time', []],
    ['room', ['room_id']],
    ['name', ['name']],
    ['status', ['status']],
  ] as const) {
    await db.schema
      .createIndex(`room_sessions_by_${suffix}`)
      .on('room_sessions')
      // The index ends with the name, so that searches by part of a name skip other rows within the index.
      .columns(['project_id', ...filter, 'created_at', 'id', ...(suffix === 'name' ? [] : ['name' as const])])
      .execute()
  }
}

async function createHistory(db: Kysely<unknown>): Promise<void> {
  const text = textType(db)
  await db.schema
    .createTable('room_members')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_session_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('parent_id', text)
    .addColumn('join_time', 'bigint', (column) => column.notNull())
    .addColumn('leave_time', 'bigint')
    .execute()
  await db.schema
    .createIndex('room_members_by_session')
    .on('room_members')
    .columns(['project_id', 'room_session_id', 'join_time', 'id'])
    .execute()

  await db.schema
    .createTable('room_recordings')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_session_id', text, (column) => column.notNull())
    .addColumn('status', text, (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('finished_at', 'bigint')
    .addColumn('duration_ms', 'bigint')
    .addColumn('size_in_bytes', 'bigint')
    .addColumn('format', text)
    .addColumn('file', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('room_recordings_by_time')
    .on('room_recordings')
    .columns(['project_id', 'created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('room_recordings_by_session')
    .on('room_recordings')
    .columns(['project_id', 'room_session_id', 'created_at', 'id'])
    .execute()
  await db.schema
    .createIndex('room_recordings_unfinished')
    .on('room_recordings')
    .column('created_at')
    .where(sql<boolean>`status <> 'completed'`)
    .execute()

  // No references here either: an event stays as it was written.
  await db.schema
    .createTable('events')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
    .addColumn('room_id', text)
    .addColumn('room_session_id', text)
    .addColumn('room_recording_id', text)
    .addColumn('room_participant_id', text)
    .addColumn('level', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('payload', text, (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  for (const subject of ['room_session_id', 'room_recording_id']) {
    await db.schema
      .createIndex(`events_by_${subject}`)
      .on('events')
      .columns(['project_id', subject, 'created_at', 'id'])
      .where(sql<boolean>`${sql.ref(subject)} is not null`)
      .execute()
  }
}
