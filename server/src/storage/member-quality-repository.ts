import { columns } from './columns.ts'
import type { MemberQualityRepository } from './interfaces/sessions.ts'
import type { MemberQualityRecord } from './records.ts'
import type { Database } from './tables.ts'

const qualityColumns = columns<MemberQualityRecord>({ series: 'json' })

/** How the connections of members were, in the database. */
export function memberQualityRepository(db: Database): MemberQualityRepository {
  return {
    async save(record) {
      const row = qualityColumns.toRow(record)
      const { interval_ms, series } = row
      await db
        .insertInto('member_quality')
        .values(row)
        .onConflict((conflict) => conflict.column('member_id').doUpdateSet({ interval_ms, series }))
        .execute()
    },
    async list(projectId, sessionId, limit) {
      const rows = await db
        .selectFrom('member_quality')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('room_session_id', '=', sessionId)
        .orderBy('started_at')
        .orderBy('member_id')
        .limit(limit)
        .execute()
      return rows.map(qualityColumns.fromRow)
    },
  }
}
