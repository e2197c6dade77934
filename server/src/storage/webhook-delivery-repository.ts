import { sql } from 'kysely'
import { webhookDeliveryFields } from '../resources/webhook-delivery.ts'
import { columnsOf } from './columns.ts'
import type { WebhookDeliveryRepository } from './interfaces/webhooks.ts'
import { readPage } from './keyset.ts'
import type { Database } from './tables.ts'

const deliveryColumns = columnsOf(webhookDeliveryFields)

/** A literal, because the index has only these rows. */
const isNotDelivered = sql<boolean>`status <> 'delivered'`

/** The log of deliveries to webhooks in the database. */
export function webhookDeliveryRepository(db: Database): WebhookDeliveryRepository {
  const ofWebhook = (projectId: string, webhookId: string) =>
    db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('webhook_id', '=', webhookId)

  return {
    async find(projectId, webhookId, id) {
      const row = await ofWebhook(projectId, webhookId).where('id', '=', id).executeTakeFirst()
      return row && deliveryColumns.fromRow(row)
    },
    async list(projectId, webhookId, { status }, request) {
      let query = ofWebhook(projectId, webhookId)
      if (status !== undefined) query = query.where('status', '=', status)
      if (status !== undefined && status !== 'delivered') query = query.where(isNotDelivered)
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(deliveryColumns.fromRow) }
    },
    async finished(projectId, webhookId, { status, since, until }, limit) {
      let query = ofWebhook(projectId, webhookId)
        .where('status', '=', status)
        .where('created_at', '>=', since)
        .where('created_at', '<', until)
      if (status === 'failed') query = query.where(isNotDelivered)
      const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute()
      return rows.map(deliveryColumns.fromRow)
    },
    async sendAgain({ id: webhook_id, project_id }, ids, streamId, now) {
      const again = await db
        .updateTable('webhook_deliveries')
        .set({
          stream_id: streamId,
          status: 'pending',
          attempts: 0,
          first_attempt_at: null,
          finished_at: null,
        })
        .where('project_id', '=', project_id)
        .where('webhook_id', '=', webhook_id)
        .where('id', 'in', ids)
        .where('status', '<>', 'pending')
        .returning('sequence')
        .execute()
      if (again.length === 0) return 0
      const sequences = again.map(({ sequence }) => sequence)
      await db
        .insertInto('webhook_streams')
        .values({
          webhook_id,
          id: streamId,
          project_id,
          last_sequence: Math.max(...sequences),
          done_sequence: Math.min(...sequences) - 1,
          next_at: now,
          holder: null,
          updated_at: now,
        })
        .execute()
      return again.length
    },
    async nextWebhookId(after) {
      const found = await Promise.all(
        (['webhook_deliveries', 'webhook_streams'] as const).map((table) =>
          db
            .selectFrom(table)
            .select(['webhook_id', 'project_id'])
            .where('webhook_id', '>', after)
            .orderBy('webhook_id')
            .limit(1)
            .executeTakeFirst(),
        ),
      )
      return found.flatMap((one) => one ?? []).sort((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1))[0]
    },
    async timeOfNewest(projectId, webhookId, count) {
      const row = await db
        .selectFrom('webhook_deliveries')
        .select('created_at')
        .where('project_id', '=', projectId)
        .where('webhook_id', '=', webhookId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .offset(count)
        .executeTakeFirst()
      return row?.created_at
    },
    async deleteBefore(projectId, webhookId, before, limit) {
      const old = db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('project_id', '=', projectId)
        .where('webhook_id', '=', webhookId)
        .where('created_at', '<', before)
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
      const result = await db
        .deleteFrom('webhook_deliveries')
        .where('webhook_id', '=', webhookId)
        .where('id', 'in', old)
        .executeTakeFirst()
      return Number(result.numDeletedRows)
    },
    async deleteStreams(webhookId, before, limit) {
      let old = db.selectFrom('webhook_streams').select('id').where('webhook_id', '=', webhookId)
      if (before !== null) {
        old = old
          .where('next_at', 'is', null)
          .where('updated_at', '<', before)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('room_sessions')
                  .select('room_sessions.id')
                  .whereRef('room_sessions.id', '=', 'webhook_streams.id')
                  .where('status', '=', 'in-progress'),
              ),
            ),
          )
      }
      // Read first: readers do not hold up writers.
      const ids = (await old.limit(limit).execute()).map(({ id }) => id)
      if (ids.length === 0) return 0
      let deletion = db
        .deleteFrom('webhook_streams')
        .where('webhook_id', '=', webhookId)
        .where('id', 'in', ids)
      if (before !== null) deletion = deletion.where('next_at', 'is', null).where('updated_at', '<', before)
      return Number((await deletion.executeTakeFirst()).numDeletedRows)
    },
  }
}
