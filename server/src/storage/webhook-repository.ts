import { webhookFields } from '../resources/webhook.ts'
import { columnsOf } from './columns.ts'
import type { WebhookRepository } from './interfaces/webhooks.ts'
import { readPage } from './keyset.ts'
import type { Database } from './tables.ts'

export const webhookColumns = columnsOf(webhookFields)

/** Webhooks in the database. Their secrets are encrypted. */
export function webhookRepository(db: Database): WebhookRepository {
  return {
    async insert(webhook) {
      await db.insertInto('webhooks').values(webhookColumns.toRow(webhook)).execute()
    },
    async find(projectId, id) {
      const row = await db
        .selectFrom('webhooks')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && webhookColumns.fromRow(row)
    },
    async update(projectId, id, changes, onlyIf = {}) {
      let query = db
        .updateTable('webhooks')
        .set(webhookColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
      if (onlyIf.url !== undefined) query = query.where('url', '=', onlyIf.url)
      if (onlyIf.enabled !== undefined) query = query.where('enabled', '=', Number(onlyIf.enabled))
      const row = await query.returningAll().executeTakeFirst()
      return row && webhookColumns.fromRow(row)
    },
    async delete(projectId, id) {
      const result = await db
        .deleteFrom('webhooks')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async list(projectId, request) {
      const query = db.selectFrom('webhooks').selectAll().where('project_id', '=', projectId)
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(webhookColumns.fromRow) }
    },
    async count(projectId) {
      const row = await db
        .selectFrom('webhooks')
        .select(({ fn }) => fn.countAll<number | string>().as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      return Number(row.count)
    },
  }
}
