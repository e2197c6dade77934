import { type Expression, sql } from 'kysely'
import type { Spans, UsageRepository } from './interfaces/usage.ts'
import type { Database } from './tables.ts'

/** An hour in milliseconds, as a literal: SQLite would take a parameter for a fraction, and not divide whole numbers. */
const HOUR = sql.lit(3_600_000)
const hourOf = (time: Expression<unknown>) => sql<number>`${time} / ${HOUR}`

/** Columns that describe spans from one column to another. PostgreSQL writes sums as text. */
const spanColumns = (start: string, end: string) =>
  [
    hourOf(sql.ref(start)).as('first_hour'),
    hourOf(sql.ref(end)).as('last_hour'),
    sql<number | string>`count(*)`.as('count'),
    sql<number | string>`sum(${sql.ref(start)} % ${HOUR})`.as('starts'),
    sql<number | string>`sum(${sql.ref(end)} % ${HOUR})`.as('ends'),
  ] as const

interface SpanRow {
  first_hour: number | string
  last_hour: number | string
  count: number | string
  starts: number | string
  ends: number | string
}

const spansOf = (row: SpanRow): Spans => ({
  firstHour: Number(row.first_hour),
  lastHour: Number(row.last_hour),
  count: Number(row.count),
  starts: Number(row.starts),
  ends: Number(row.ends),
})

/** Sums over the members, recordings and streams in the database. */
export function usageRepository(db: Database): UsageRepository {
  return {
    async ofMembers(projectId, from, until) {
      const rows = await db
        .selectFrom('room_members')
        .innerJoin('room_sessions', 'room_sessions.id', 'room_members.room_session_id')
        .select([
          ...spanColumns('room_members.join_time', 'room_members.leave_time'),
          'room_sessions.quality',
        ])
        .where('room_members.project_id', '=', projectId)
        .where('room_members.leave_time', '>=', from)
        .where('room_members.leave_time', '<', until)
        .where('room_members.parent_id', 'is', null)
        .groupBy(['first_hour', 'last_hour', 'room_sessions.quality'])
        .execute()
      return rows.map((row) => ({ ...spansOf(row), quality: row.quality }))
    },
    async ofRecordings(projectId, from, until) {
      const rows = await db
        .selectFrom('room_recordings')
        .select([
          ...spanColumns('started_at', 'finished_at'),
          sql<number | string>`sum(coalesce(duration_ms, 0))`.as('media_ms'),
        ])
        .where('project_id', '=', projectId)
        .where('finished_at', '>=', from)
        .where('finished_at', '<', until)
        .where('started_at', 'is not', null)
        .groupBy(['first_hour', 'last_hour'])
        .execute()
      return rows.map((row) => ({ ...spansOf(row), mediaMs: Number(row.media_ms) }))
    },
    async ofStreams(projectId, from, until) {
      const rows = await db
        .selectFrom('stream_runs')
        .select(spanColumns('started_at', 'ended_at'))
        .where('project_id', '=', projectId)
        .where('ended_at', '>=', from)
        .where('ended_at', '<', until)
        .where('started_at', 'is not', null)
        .groupBy(['first_hour', 'last_hour'])
        .execute()
      return rows.map(spansOf)
    },
    async recordingsKept(projectId) {
      const row = await db
        .selectFrom('room_recordings')
        .select([
          sql<number | string>`count(*)`.as('count'),
          sql<number | string>`coalesce(sum(size_in_bytes), 0)`.as('bytes'),
        ])
        .where('project_id', '=', projectId)
        // It makes SQLite count in a thread instead of the main thread.
        .limit(1)
        .executeTakeFirstOrThrow()
      return { count: Number(row.count), bytes: Number(row.bytes) }
    },
  }
}
