import { sql } from 'kysely'
import { columns, MOST_OPEN } from './columns.ts'
import type { CallRepository } from './interfaces/sessions.ts'
import { readPage } from './keyset.ts'
import type { CallRecord } from './records.ts'
import type { Database } from './tables.ts'

const callColumns = columns<CallRecord>({})

/** Written as a literal, because a query with a parameter cannot use an index that holds only open rows. */
const inProgress = sql<boolean>`status = 'in-progress'`

/** Calls in the database. */
export function callRepository(db: Database): CallRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('calls').selectAll().where('project_id', '=', projectId)
  const ending = (projectId: string, at: number) =>
    db
      .updateTable('calls')
      .set({ status: 'completed', ended_at: at })
      .where('project_id', '=', projectId)
      .where(inProgress)
  return {
    async insert(call) {
      await db.insertInto('calls').values(callColumns.toRow(call)).execute()
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && callColumns.fromRow(row)
    },
    async reopen(record) {
      await db
        .insertInto('calls')
        .values(callColumns.toRow(record))
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ status: 'in-progress', ended_at: null }),
        )
        .execute()
    },
    async listOpen() {
      const open = db.selectFrom('calls').selectAll().where(inProgress)
      const rows = await open.orderBy('room_session_id').limit(MOST_OPEN).execute()
      return rows.map(callColumns.fromRow)
    },
    async end(projectId, id, at) {
      await ending(projectId, at).where('id', '=', id).execute()
    },
    async closeAll(projectId, sessionId, at) {
      await ending(projectId, at).where('room_session_id', '=', sessionId).execute()
    },
    async list(projectId, filter, request) {
      let query = ofProject(projectId)
      if (filter.from !== undefined) query = query.where('from_name', '=', filter.from)
      if (filter.to !== undefined) query = query.where('to_name', '=', filter.to)
      if (filter.parentId !== undefined) query = query.where('parent_id', '=', filter.parentId)
      if (filter.status === 'in-progress') query = query.where(inProgress)
      if (filter.status === 'completed') query = query.where('status', '=', 'completed')
      if (filter.startedFrom !== undefined) query = query.where('created_at', '>=', filter.startedFrom)
      if (filter.startedBefore !== undefined) query = query.where('created_at', '<', filter.startedBefore)
      if (filter.endedFrom !== undefined) query = query.where('ended_at', '>=', filter.endedFrom)
      // A call that ended before a time also began before it. The second condition can use the index.
      if (filter.endedBefore !== undefined) {
        query = query.where('ended_at', '<', filter.endedBefore).where('created_at', '<', filter.endedBefore)
      }
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(callColumns.fromRow) }
    },
  }
}
