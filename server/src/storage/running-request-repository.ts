import type { ClaimedRequest, RunningRequestRepository } from './interfaces/projects.ts'
import type { Database } from './tables.ts'

/** Claims of requests with an `Idempotency-Key`, in the database. */
export function runningRequestRepository(db: Database): RunningRequestRepository {
  return {
    async claim({ projectId, key, holder }: ClaimedRequest, now, until) {
      const row = { project_id: projectId, idempotency_key: key, holder, expires_at: until }
      const claimed = await db
        .insertInto('running_requests')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['project_id', 'idempotency_key'])
            .doUpdateSet({ holder, expires_at: until })
            .where('running_requests.expires_at', '<=', now),
        )
        .returning('holder')
        .execute()
      return claimed.length > 0
    },
    async release({ projectId, key, holder }) {
      await db
        .deleteFrom('running_requests')
        .where('project_id', '=', projectId)
        .where('idempotency_key', '=', key)
        .where('holder', '=', holder)
        .execute()
    },
    async deleteExpired(before) {
      await db.deleteFrom('running_requests').where('expires_at', '<', before).execute()
    },
  }
}
