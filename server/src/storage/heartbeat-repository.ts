import type { HeartbeatRepository } from './storage.ts'
import type { Database } from './tables.ts'

/** The one row that shows whether the database takes writes. */
const ROW = 'server'

/** Signs of life in the database. */
export function heartbeatRepository(db: Database): HeartbeatRepository {
  return {
    async beat(at) {
      await db
        .insertInto('heartbeats')
        .values({ id: ROW, beat_at: at })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ beat_at: at }))
        .execute()
    },
  }
}
