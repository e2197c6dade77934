import { sql } from 'kysely'
import { recordingFields } from '../resources/room-recording.ts'
import { columnsOf } from './columns.ts'
import type { RecordingRepository } from './interfaces/recordings.ts'
import { readPageWithin } from './keyset.ts'
import type { Database } from './tables.ts'

/** Written as a literal, because a query with a parameter cannot use an index that holds only these rows. */
const unfinished = sql<boolean>`status <> 'completed'`

/** A literal for the same reason. */
const isUnsent = sql<boolean>`place = 'sending'`

const recordingColumns = columnsOf(recordingFields)

/** Recordings in the database. The files are in the recordings folder. */
export function recordingRepository(db: Database): RecordingRepository {
  const ofProject = (projectId: string) =>
    db.selectFrom('room_recordings').selectAll().where('project_id', '=', projectId)
  return {
    async insert(recording) {
      await db.insertInto('room_recordings').values(recordingColumns.toRow(recording)).execute()
    },
    async find(projectId, id) {
      const row = await ofProject(projectId).where('id', '=', id).executeTakeFirst()
      return row && recordingColumns.fromRow(row)
    },
    async update(projectId, id, changes) {
      await db
        .updateTable('room_recordings')
        .set(recordingColumns.toPartialRow(changes))
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute()
    },
    async delete(projectId, id) {
      const result = await db
        .deleteFrom('room_recordings')
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async list(projectId, { sessionId, roomName, status, ...span }, request) {
      let query = ofProject(projectId)
      if (sessionId !== undefined) query = query.where('room_session_id', '=', sessionId)
      if (status !== undefined && status !== 'completed') {
        // Few are unfinished, and an index has only these. `coalesce` keeps databases from the index of the room.
        query = query.where(unfinished).where('status', '=', status)
        if (roomName !== undefined) query = query.where(sql<boolean>`coalesce(room_name, '') = ${roomName}`)
      } else {
        if (roomName !== undefined) query = query.where('room_name', '=', roomName)
        // Almost all are completed.
        if (status !== undefined) query = query.where(sql<boolean>`coalesce(status, '') = ${status}`)
      }
      const page = await readPageWithin(db, query, 'created_at', span, request)
      return { ...page, rows: page.rows.map(recordingColumns.fromRow) }
    },
    async listInterrupted() {
      const rows = await db
        .selectFrom('room_recordings')
        .selectAll()
        .where(unfinished)
        .orderBy('created_at')
        .execute()
      return rows.map(recordingColumns.fromRow)
    },
    async ownersOfUnfinished(projectId) {
      const rows = await db
        .selectFrom('room_recordings')
        .innerJoin('room_sessions', 'room_sessions.id', 'room_recordings.room_session_id')
        .select('room_sessions.owner_node')
        .distinct()
        .where('room_recordings.project_id', '=', projectId)
        .where(sql<boolean>`room_recordings.status <> 'completed'`)
        .execute()
      return rows.flatMap(({ owner_node }) => owner_node ?? [])
    },
    async placesOf(ids) {
      if (ids.length === 0) return new Map()
      const rows = await db
        .selectFrom('room_recordings')
        .select(['id', 'place'])
        .where('id', 'in', ids)
        .execute()
      return new Map(rows.map(({ id, place }) => [id, place]))
    },
    async listStored(after, limit) {
      const rows = await db
        .selectFrom('room_recordings')
        .selectAll()
        .where('id', '>', after)
        .where('place', 'in', ['store', 'lost'])
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(recordingColumns.fromRow)
    },
    async listUnsent(after, limit, place = 'sending') {
      let query = db
        .selectFrom('room_recordings')
        .selectAll()
        .where(place === 'sending' ? isUnsent : sql<boolean>`place = 'disk'`)
        .where(sql<boolean>`coalesce(status, '') = 'completed'`)
      if (after) query = query.where(sql<boolean>`(created_at, id) > (${after.at}, ${after.id})`)
      const rows = await query.orderBy('created_at').orderBy('id').limit(limit).execute()
      return rows.map(recordingColumns.fromRow)
    },
  }
}
