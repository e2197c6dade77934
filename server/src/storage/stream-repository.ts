import { sql } from 'kysely'
import { streamFields } from '../resources/stream.ts'
import { columns, columnsOf, MOST_OPEN } from './columns.ts'
import type { StreamRepository, StreamRunRepository } from './interfaces/rooms.ts'
import { readPage } from './keyset.ts'
import type { StreamRunRecord } from './records.ts'
import type { Database } from './tables.ts'

const streamColumns = columnsOf(streamFields)
const runColumns = columns<StreamRunRecord>({})

/** Streams of rooms and conferences in the database. */
export function streamRepository(db: Database): StreamRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('streams').selectAll().where('project_id', '=', projectId)
  return {
    async insert(stream) {
      await db.insertInto('streams').values(streamColumns.toRow(stream)).execute()
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && streamColumns.fromRow(row)
    },
    async findIds(projectId, ids) {
      if (ids.length === 0) return new Set()
      const query = db.selectFrom('streams').select('id').where('project_id', '=', projectId)
      return new Set((await query.where('id', 'in', ids).execute()).map(({ id }) => id))
    },
    async update(projectId, id, changes) {
      const row = await db
        .updateTable('streams')
        .set(streamColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
      return row && streamColumns.fromRow(row)
    },
    async delete(projectId, id) {
      const result = await db
        .deleteFrom('streams')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async listOfRoom(projectId, roomId) {
      const rows = await ofProject(projectId)
        .where('room_id', '=', roomId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute()
      return rows.map(streamColumns.fromRow)
    },
    async list(projectId, roomId, request) {
      const query = ofProject(projectId).where('room_id', '=', roomId)
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(streamColumns.fromRow) }
    },
    async listOfProject(projectId, request) {
      const page = await readPage(db, ofProject(projectId), 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(streamColumns.fromRow) }
    },
  }
}

/** Runs of streams in the database. */
export function streamRunRepository(db: Database): StreamRunRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('stream_runs').selectAll().where('project_id', '=', projectId)
  return {
    async insert(run) {
      await db.insertInto('stream_runs').values(runColumns.toRow(run)).execute()
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && runColumns.fromRow(row)
    },
    async update(projectId, id, changes) {
      await db
        .updateTable('stream_runs')
        .set(runColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute()
    },
    async reopen(record) {
      await db
        .insertInto('stream_runs')
        .values(runColumns.toRow(record))
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ status: 'streaming', ended_at: null }))
        .execute()
    },
    async listOpen() {
      const open = db.selectFrom('stream_runs').selectAll().where(sql<boolean>`status = 'streaming'`)
      const rows = await open.orderBy('room_session_id').limit(MOST_OPEN).execute()
      return rows.map(runColumns.fromRow)
    },
    async closeAll(projectId, sessionId, at) {
      await db
        .updateTable('stream_runs')
        .set({ status: 'completed', ended_at: at, updated_at: at })
        .where('project_id', '=', projectId)
        .where('room_session_id', '=', sessionId)
        .where('status', '=', 'streaming')
        .execute()
    },
    async list(projectId, request) {
      const page = await readPage(db, ofProject(projectId), 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(runColumns.fromRow) }
    },
  }
}
