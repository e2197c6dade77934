import { sql } from 'kysely'
import { recordingFields } from '../resources/room-recording.ts'
import { columnsOf, MOST_OPEN } from './columns.ts'
import type { RetentionRepository } from './interfaces/recordings.ts'
import type { Database } from './tables.ts'

const recordingColumns = columnsOf(recordingFields)

/** A literal, because the index has only these rows. */
const hasRule = sql<boolean>`recording_retention_days is not null`
const isFinished = sql<boolean>`finished_at is not null`

/** What the deletion of old recordings is decided by, in the database. */
export function retentionRepository(db: Database): RetentionRepository {
  return {
    async shortest() {
      const [projects, rooms] = await Promise.all([
        db
          .selectFrom('projects')
          .select(['id', 'recording_retention_days as days'])
          .where(hasRule)
          .limit(MOST_OPEN)
          .execute(),
        db
          .selectFrom('rooms')
          .select(['project_id as id', sql<number>`min(recording_retention_days)`.as('days')])
          .where(hasRule)
          .where(sql<boolean>`recording_retention_days > 0`)
          .groupBy('project_id')
          .limit(MOST_OPEN)
          .execute(),
      ])
      const days = new Map<string, number>()
      for (const row of [...projects, ...rooms]) {
        days.set(row.id, Math.min(days.get(row.id) ?? Number.POSITIVE_INFINITY, Number(row.days)))
      }
      return days
    },
    async ofRooms(projectId, roomIds) {
      if (roomIds.length === 0) return new Map()
      const rows = await db
        .selectFrom('rooms')
        .select(['id', 'recording_retention_days'])
        .where('project_id', '=', projectId)
        .where('id', 'in', roomIds)
        .where(hasRule)
        .execute()
      return new Map(rows.map((row) => [row.id, Number(row.recording_retention_days)]))
    },
    async finishedBefore(projectId, before, after, limit) {
      let query = db
        .selectFrom('room_recordings')
        .selectAll()
        .where('project_id', '=', projectId)
        .where(isFinished)
        .where('finished_at', '<', before)
      if (after) query = query.where(sql<boolean>`(finished_at, id) > (${after.at}, ${after.id})`)
      const rows = await query.orderBy('finished_at').orderBy('id').limit(limit).execute()
      return rows.map(recordingColumns.fromRow)
    },
    async countFinishedBefore(projectId, before, roomId) {
      let query = db
        .selectFrom('room_recordings')
        .select([
          sql<number | string>`count(*)`.as('count'),
          sql<number | string | null>`sum(size_in_bytes)`.as('bytes'),
        ])
        .where('project_id', '=', projectId)
        .where(isFinished)
        .where('finished_at', '<', before)
      if (roomId === null) {
        const ruled = db.selectFrom('rooms').select('id').where('project_id', '=', projectId).where(hasRule)
        query = query.where((of) => of.or([of('room_id', 'is', null), of('room_id', 'not in', ruled)]))
      } else query = query.where('room_id', '=', roomId)
      // The limit makes SQLite count in a thread instead of the main thread.
      const row = await query.limit(1).executeTakeFirst()
      return { count: Number(row?.count ?? 0), bytes: Number(row?.bytes ?? 0) }
    },
  }
}
