import { PostgresAdapter, type RawBuilder, sql } from 'kysely'
import { eventColumns } from './event-repository.ts'
import type { DeliveryOutcome, Progress, WebhookOutboxRepository } from './interfaces/webhooks.ts'
import type { EventRecord, WebhookStreamRecord } from './records.ts'
import type { Database } from './tables.ts'
import { webhookColumns } from './webhook-repository.ts'

/** The log of a delivery that was sent again very often begins anew, in characters. */
const LONGEST_LOG = 30_000

/** A literal, because the index has only these rows. */
const hasMore = sql<boolean>`next_at is not null`

/** What waits for webhooks, in the database. */
export function webhookOutboxRepository(db: Database): WebhookOutboxRepository {
  const isShared = db.getExecutor().adapter instanceof PostgresAdapter
  /** Servers that claim at the same time take different rows, and do not wait for each other. */
  const skippingLocked = isShared ? sql`for update skip locked` : sql``

  async function settle(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    if (outcomes.length === 0) return
    const rows = sql.join(outcomes.map(outcomeRow))
    await sql`
      with outcome (webhook_id, id, status, attempts, log, first_attempt_at, finished_at) as (values ${rows})
      update webhook_deliveries
      set status = outcome.status, attempts = outcome.attempts, finished_at = outcome.finished_at,
        first_attempt_at = outcome.first_attempt_at,
        attempt_log = case when length(attempt_log) > ${sql.lit(LONGEST_LOG)} then '' else attempt_log end || outcome.log
      from outcome
      where webhook_deliveries.webhook_id = outcome.webhook_id and webhook_deliveries.id = outcome.id
        and webhook_deliveries.status = 'pending'`.execute(db)
  }

  async function giveBack(
    { webhook_id, id, holder }: WebhookStreamRecord,
    { done, nextAt }: Progress,
    now: number,
  ): Promise<boolean> {
    // Reads the row as it is now: an event may have been noted since the claim.
    const next =
      nextAt === null
        ? sql<number | null>`case when last_sequence > ${done} then cast(${now} as bigint) end`
        : nextAt
    const row = await db
      .updateTable('webhook_streams')
      .set({ holder: null, done_sequence: done, next_at: next, updated_at: now })
      .where('webhook_id', '=', webhook_id)
      .where('id', '=', id)
      .where('holder', '=', holder)
      .returning('next_at')
      .executeTakeFirst()
    return row != null && row.next_at !== null && row.next_at <= now
  }

  return {
    async hasAny() {
      // Without a limit SQLite reads on the main thread, which takes less time than to start the thread for pages.
      const rows = await db.selectFrom('webhooks').select('id').where('enabled', '=', 1).execute()
      return rows.length > 0
    },
    async due(now) {
      const rows = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('enabled', '=', 1)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('webhook_streams')
              .select('webhook_streams.id')
              .whereRef('webhook_id', '=', 'webhooks.id')
              .where(hasMore)
              .where('next_at', '<=', now),
          ),
        )
        .execute()
      return rows.map(webhookColumns.fromRow)
    },
    async claim(webhookId, { holder, now, until }, limit) {
      const { rows } = await sql<WebhookStreamRecord>`
        update webhook_streams set holder = ${holder}, next_at = ${until}
        where webhook_id = ${webhookId} and id in (
          select id from webhook_streams
          where webhook_id = ${webhookId} and ${hasMore} and next_at <= ${now}
            and exists (select 1 from webhooks where webhooks.id = ${webhookId} and enabled = 1)
          order by next_at limit ${limit} ${skippingLocked})
        returning *`.execute(db)
      return rows
    },
    async waiting(stream, limit) {
      const rows = await db
        .selectFrom('webhook_deliveries as delivery')
        .leftJoin('events', 'events.id', 'delivery.id')
        .selectAll('events')
        .select([
          'delivery.id as delivery_id',
          'delivery.sequence',
          'delivery.attempts',
          'delivery.first_attempt_at',
        ])
        .where('delivery.webhook_id', '=', stream.webhook_id)
        .where('delivery.stream_id', '=', stream.id)
        .where('delivery.sequence', '>', stream.done_sequence)
        .orderBy('delivery.sequence')
        .limit(limit)
        .execute()
      return rows.map(({ delivery_id, sequence, attempts, first_attempt_at, ...event }) => ({
        delivery: { id: delivery_id, sequence, attempts, first_attempt_at },
        event: event.id === null ? null : (eventColumns.fromRow(event as never) as EventRecord),
      }))
    },
    async release(stream, progress, now) {
      // SQLite runs both in this order and commits them together. PostgreSQL would run them beside each other.
      const settled = settle(progress.outcomes)
      if (isShared) await settled
      const [hasMore] = await Promise.all([giveBack(stream, progress, now), settled])
      return hasMore
    },
    async freeLeases(now) {
      if (isShared) return
      await db
        .updateTable('webhook_streams')
        .set({ holder: null, next_at: now })
        .where('holder', 'is not', null)
        .execute()
    },
    async hurry(webhookId, now, which) {
      const waiting = db
        .selectFrom('webhook_streams')
        .select('id')
        .where('webhook_id', '=', webhookId)
        .where(hasMore)
        .where('next_at', '>', now)
      const some =
        'streamId' in which
          ? waiting.where('id', '=', which.streamId)
          : waiting.orderBy('next_at').limit(which.limit)
      await db
        .updateTable('webhook_streams')
        .set({ next_at: now })
        .where('webhook_id', '=', webhookId)
        .where('id', 'in', some)
        // Who holds the lease decides when it goes on.
        .where('holder', 'is', null)
        .execute()
    },
  }
}

/** PostgreSQL takes a parameter for text unless told otherwise. */
const bigint = (value: number | null): RawBuilder<number | null> => sql`cast(${value} as bigint)`

const outcomeRow = (one: DeliveryOutcome) =>
  sql`(${one.webhook_id}, ${one.id}, ${one.status}, cast(${one.attempts} as integer), ${`${one.logEntry}\n`}, ${bigint(one.first_attempt_at)}, ${bigint(one.finished_at)})`
