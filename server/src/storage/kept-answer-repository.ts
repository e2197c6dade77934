import { columns } from './columns.ts'
import type { KeptAnswerRepository } from './interfaces/projects.ts'
import type { KeptAnswerRecord } from './records.ts'
import type { Database } from './tables.ts'

const keptAnswerColumns = columns<KeptAnswerRecord>({})

/** Answers to requests with an `Idempotency-Key`, in the database. */
export function keptAnswerRepository(db: Database): KeptAnswerRepository {
  return {
    async put(answer) {
      const row = keptAnswerColumns.toRow(answer)
      await db
        .insertInto('kept_answers')
        .values(row)
        .onConflict((conflict) => conflict.columns(['project_id', 'idempotency_key']).doUpdateSet(row))
        .execute()
    },
    async find(projectId, key) {
      const row = await db
        .selectFrom('kept_answers')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('idempotency_key', '=', key)
        .executeTakeFirst()
      return row && keptAnswerColumns.fromRow(row)
    },
    async deleteBefore(time) {
      await db.deleteFrom('kept_answers').where('created_at', '<', time).execute()
    },
  }
}
