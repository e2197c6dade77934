import { type Kysely, PostgresAdapter, sql } from 'kysely'
import { textType } from './column-types.ts'

/**
 * Adds webhooks and their outbox. Nothing in the outbox refers to a webhook by a foreign key: a webhook is deleted at
 * once, and what waited for it in portions.
 *
 * The database itself notes each event for the webhooks that asked for it. So it is done in the transaction of the event,
 * whoever writes it, and costs no way to the database and back, which would halve the number of events a second.
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
    .addColumn('webhook_id', text, (column) => column.notNull())
    // That of the event.
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('project_id', text, (column) => column.notNull().references('projects.id').onDelete('cascade'))
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
    .addPrimaryKeyConstraint('webhook_deliveries_by_webhook', ['webhook_id', 'id'])
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
  if (db.getExecutor().adapter instanceof PostgresAdapter) await noteInPostgres(db)
  else await noteInSqlite(db)
}

/** What both kinds of databases write for each webhook. Everybody locks streams in the order of webhooks. */
const streams = sql`
  insert into webhook_streams
    (webhook_id, id, project_id, last_sequence, done_sequence, next_at, holder, updated_at)
  select webhooks.id, coalesce(new.room_session_id, new.id), new.project_id, 1, 0, new.created_at, null, new.created_at
  from webhooks where project_id = new.project_id and enabled = 1 and `
/** The row stays locked until the end of the transaction, so numbers become visible in their order. */
const nextNumber = sql`
  order by webhooks.id
  on conflict (webhook_id, id) do update set
    last_sequence = webhook_streams.last_sequence + 1,
    next_at = coalesce(webhook_streams.next_at, excluded.next_at),
    updated_at = excluded.updated_at`
const deliveries = sql`
  insert into webhook_deliveries
    (webhook_id, id, project_id, event_name, room_session_id, stream_id, sequence, status, attempts, attempt_log, created_at)`
const ofStream = sql`
  new.id, new.project_id, new.name, new.room_session_id, stream.id, stream.last_sequence, 'pending', 0, '', new.created_at`
/** Whether the webhook asked for an event of this name, or of its group: `room.started`, `room.*`. */
const groupInSqlite = sql`substr(new.name, 1, instr(new.name, '.')) || '*'`
const isWantedInSqlite = sql`
  (events is null or exists (select 1 from json_each(webhooks.events) where value in (new.name, ${groupInSqlite})))`

async function noteInSqlite(db: Kysely<unknown>): Promise<void> {
  await sql`
    create trigger events_to_webhooks after insert on events
    when exists (select 1 from webhooks where project_id = new.project_id and enabled = 1)
    begin
      ${streams} ${isWantedInSqlite} ${nextNumber};
      ${deliveries}
      select webhooks.id, ${ofStream}
      from webhooks join webhook_streams stream
        on stream.webhook_id = webhooks.id and stream.id = coalesce(new.room_session_id, new.id)
      where webhooks.project_id = new.project_id and enabled = 1 and ${isWantedInSqlite};
    end`.execute(db)
}

async function noteInPostgres(db: Kysely<unknown>): Promise<void> {
  const isWanted = sql`
    (events is null or events::jsonb ?| array[new.name, split_part(new.name, '.', 1) || '.*'])`
  await sql`
    create function note_event_for_webhooks() returns trigger language plpgsql as $$
    begin
      with stream as (${streams} ${isWanted} ${nextNumber} returning webhook_id, id, last_sequence)
      ${deliveries} select stream.webhook_id, ${ofStream} from stream;
      return null;
    end $$`.execute(db)
  await sql`
    create trigger events_to_webhooks after insert on events
    for each row execute function note_event_for_webhooks()`.execute(db)
}
