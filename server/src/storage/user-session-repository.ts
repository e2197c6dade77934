import { columns } from './columns.ts'
import { compiledQuery } from './compiled-query.ts'
import type { UserSessionRepository } from './interfaces/people.ts'
import type { UserRecord, UserSessionRecord } from './records.ts'
import type { Database } from './tables.ts'

const sessionColumns = columns<UserSessionRecord>({})
const userColumns = columns<UserRecord>({})

/** Every request with a cookie reads its session and its user, so that what was ended or changed counts at once. */
const sessionByHash = compiledQuery((db, hash: string) =>
  db.selectFrom('user_sessions').selectAll().where('hash', '=', hash),
)
const userById = compiledQuery((db, projectId: string, id: string) =>
  db.selectFrom('users').selectAll().where('project_id', '=', projectId).where('id', '=', id),
)

/** Sessions of users in the database. */
export function userSessionRepository(db: Database): UserSessionRepository {
  const deletion = (projectId: string, userId: string) =>
    db.deleteFrom('user_sessions').where('project_id', '=', projectId).where('user_id', '=', userId)
  return {
    async insert(session) {
      await db.insertInto('user_sessions').values(sessionColumns.toRow(session)).execute()
    },
    async findByHash(hash) {
      const [row] = await sessionByHash(db, hash)
      if (!row) return undefined
      const [user] = await userById(db, row.project_id, row.user_id)
      return user && { session: sessionColumns.fromRow(row), user: userColumns.fromRow(user) }
    },
    async listOfUser(projectId, userId) {
      const rows = await db
        .selectFrom('user_sessions')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .orderBy('last_used_at', 'desc')
        .orderBy('id')
        .execute()
      return rows.map(sessionColumns.fromRow)
    },
    async touch(projectId, id, at) {
      const update = db.updateTable('user_sessions').set({ last_used_at: at })
      await update.where('project_id', '=', projectId).where('id', '=', id).execute()
    },
    async delete(projectId, userId, id) {
      const result = await deletion(projectId, userId).where('id', '=', id).executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async deleteOfUser(projectId, userId, except) {
      let query = deletion(projectId, userId)
      if (except !== undefined) query = query.where('id', '!=', except)
      await query.execute()
    },
    async deleteOver(usedBefore, now) {
      await db
        .deleteFrom('user_sessions')
        .where((eb) => eb.or([eb('last_used_at', '<', usedBefore), eb('expires_at', '<=', now)]))
        .execute()
    },
  }
}
