import { columns } from './columns.ts'
import { compiledQuery } from './compiled-query.ts'
import type { SignInRepository } from './interfaces/people.ts'
import type { SignInRecord } from './records.ts'
import type { Database } from './tables.ts'

const signInColumns = columns<SignInRecord>({})

/** Every request of an end user reads its sign-in. */
const signInById = compiledQuery((db, projectId: string, id: string) =>
  db.selectFrom('subscriber_sign_ins').selectAll().where('project_id', '=', projectId).where('id', '=', id),
)

/** Sign-ins of subscribers in the database. */
export function signInRepository(db: Database): SignInRepository {
  const deletion = (projectId: string) =>
    db.deleteFrom('subscriber_sign_ins').where('project_id', '=', projectId)
  return {
    async insert(signIn) {
      await db.insertInto('subscriber_sign_ins').values(signInColumns.toRow(signIn)).execute()
    },
    async find(projectId, id) {
      const [row] = await signInById(db, projectId, id)
      return row && signInColumns.fromRow(row)
    },
    async rotate(projectId, id, usedTokenId, changes) {
      const result = await db
        .updateTable('subscriber_sign_ins')
        .set(signInColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .where('refresh_token_id', '=', usedTokenId)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    async delete(projectId, id) {
      const result = await deletion(projectId).where('id', '=', id).executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async deleteOfSubscriber(projectId, subscriberId, expiredBefore) {
      let query = deletion(projectId).where('subscriber_id', '=', subscriberId)
      if (expiredBefore !== undefined) query = query.where('expires_at', '<', expiredBefore)
      return Number((await query.executeTakeFirst()).numDeletedRows)
    },
    async count(projectId, subscriberIds, now) {
      if (subscriberIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('subscriber_sign_ins')
        .select(({ fn }) => ['subscriber_id', fn.countAll<number | string>().as('count')])
        .where('project_id', '=', projectId)
        .where('subscriber_id', 'in', subscriberIds)
        .where('expires_at', '>', now)
        .groupBy('subscriber_id')
        .execute()
      return new Map(rows.map(({ subscriber_id, count }) => [subscriber_id, Number(count)]))
    },
  }
}
