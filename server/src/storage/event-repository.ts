import { sql } from 'kysely'
import { eventFields } from '../resources/event.ts'
import { columnsOf } from './columns.ts'
import type { EventRepository } from './interfaces/sessions.ts'
import { readPage } from './keyset.ts'
import type { EventRecord } from './records.ts'
import type { Database } from './tables.ts'
import { noteForWebhooks } from './webhook-outbox.ts'

export const eventColumns = columnsOf(eventFields)

/**
 * The history of sessions and recordings in the database.
 * @param onNoted called when an event that is now written has a webhook that gets it
 */
export function eventRepository(db: Database, onNoted: () => void): EventRepository {
  async function write(tx: Database, event: EventRecord): Promise<boolean> {
    await tx.insertInto('events').values(eventColumns.toRow(event)).execute()
    return noteForWebhooks(tx, event)
  }

  return {
    async append(event) {
      const isNoted = db.isTransaction
        ? await write(db, event)
        : await db.transaction().execute((tx) => write(tx, event))
      if (isNoted) onNoted()
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
