import { columns } from './columns.ts'
import type { ClientSubscriptionRepository } from './interfaces/chat.ts'
import type { ClientSubscriptionRecord } from './records.ts'
import type { Database } from './tables.ts'

const subscriptionColumns = columns<ClientSubscriptionRecord>({ subscriptions: 'json' })

/** Ids in one statement. */
const PORTION = 500

/** Subscriptions of chat clients and back ends, in the database. */
export function clientSubscriptionRepository(db: Database): ClientSubscriptionRepository {
  return {
    async put(record) {
      const row = subscriptionColumns.toRow(record)
      await db
        .insertInto('client_subscriptions')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
        .execute()
    },
    async find(projectId, id) {
      const row = await db
        .selectFrom('client_subscriptions')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row && subscriptionColumns.fromRow(row)
    },
    async delete(projectId, id) {
      await db
        .deleteFrom('client_subscriptions')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute()
    },
    async touch(ids, at) {
      for (let start = 0; start < ids.length; start += PORTION) {
        const portion = ids.slice(start, start + PORTION)
        await db
          .updateTable('client_subscriptions')
          .set({ updated_at: at })
          .where('id', 'in', portion)
          .execute()
      }
    },
    async deleteBefore(time) {
      await db.deleteFrom('client_subscriptions').where('updated_at', '<', time).execute()
    },
  }
}
