import { sql } from 'kysely'
import { eventFields } from '../resources/event.ts'
import { columnsOf } from './columns.ts'
import type { EventRepository } from './interfaces/sessions.ts'
import { readPage } from './keyset.ts'
import type { Database } from './tables.ts'

export const eventColumns = columnsOf(eventFields)

/**
 * The history of sessions and recordings in the database, which also notes each event for the webhooks of its project.
 * @param onWritten called when an event was written
 */
export function eventRepository(db: Database, onWritten: () => void): EventRepository {
  return {
    async append(event) {
      await db.insertInto('events').values(eventColumns.toRow(event)).execute()
      onWritten()
    },
    async list(projectId, filter, request) {
      const ofProject = db.selectFrom('events').selectAll().where('project_id', '=', projectId)
      const query =
        'sessionId' in filter
          ? ofProject.where('room_session_id', '=', filter.sessionId)
          : ofProject.where('room_recording_id', '=', filter.recordingId)
      const page = await readPage(db, query, 'created_at', 'oldest-first', request)
      return { ...page, rows: page.rows.map(eventColumns.fromRow) }
    },
    async listProblems(projectId, request) {
      const query = db
        .selectFrom('events')
        .selectAll()
        .where('project_id', '=', projectId)
        // A literal, because a query with a parameter cannot use an index that holds only problems.
        .where(sql<boolean>`level <> 'info'`)
      const page = await readPage(db, query, 'created_at', 'newest-first', request)
      return { ...page, rows: page.rows.map(eventColumns.fromRow) }
    },
  }
}
