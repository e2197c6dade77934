import type { HeartbeatRepository } from './storage.ts'
import type { Database } from './tables.ts'

/** Id of the only row. Writing it shows that the database accepts writes. */
const ROW = 'server'

/** Heartbeats in the database. */
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
