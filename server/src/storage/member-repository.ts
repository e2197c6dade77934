import { sql } from 'kysely'
import { memberFields } from '../resources/room-session.ts'
import { columnsOf, MOST_OPEN } from './columns.ts'
import type { MemberRepository } from './interfaces/sessions.ts'
import { readPage } from './keyset.ts'
import type { Database } from './tables.ts'

const memberColumns = columnsOf(memberFields)

/** Members of sessions in the database. */
export function memberRepository(db: Database): MemberRepository {
  return {
    async insert(member) {
      await db.insertInto('room_members').values(memberColumns.toRow(member)).execute()
    },
    async update(projectId, id, changes) {
      await db
        .updateTable('room_members')
        .set(memberColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute()
    },
    async reopen(record) {
      await db
        .insertInto('room_members')
        .values(memberColumns.toRow(record))
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ leave_time: null }))
        .execute()
    },
    async listOpen() {
      const open = db.selectFrom('room_members').selectAll().where(sql<boolean>`leave_time is null`)
      const rows = await open.orderBy('room_session_id').limit(MOST_OPEN).execute()
      return rows.map(memberColumns.fromRow)
    },
    async closeAll(projectId, sessionId, at) {
      await db
        .updateTable('room_members')
        .set({ leave_time: at })
        .where('project_id', '=', projectId)
        .where('room_session_id', '=', sessionId)
        .where('leave_time', 'is', null)
        .execute()
    },
    async totalTimes(projectId, sessionIds, now) {
      if (sessionIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('room_members')
        .select(['room_session_id', sql<number>`sum(coalesce(leave_time, ${now}) - join_time)`.as('total')])
        .where('project_id', '=', projectId)
        .where('room_session_id', 'in', sessionIds)
        .where('parent_id', 'is', null)
        .groupBy('room_session_id')
        .execute()
      return new Map(rows.map((row) => [row.room_session_id, Number(row.total)]))
    },
    async list(projectId, sessionId, request) {
      const query = db
        .selectFrom('room_members')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('room_session_id', '=', sessionId)
      const page = await readPage(db, query, 'join_time', 'oldest-first', request)
      return { ...page, rows: page.rows.map(memberColumns.fromRow) }
    },
  }
}
