import { columns } from './columns.ts'
import type { RevokedRoomTokenRepository } from './interfaces/rooms.ts'
import type { RevokedRoomTokenRecord } from './records.ts'
import type { Database } from './tables.ts'

const revokedColumns = columns<RevokedRoomTokenRecord>({})

/** Maximum number of ids in one query. Databases limit the number of parameters. */
const IDS_PER_QUERY = 500

/** Revoked room tokens in the database. */
export function revokedRoomTokenRepository(db: Database): RevokedRoomTokenRepository {
  return {
    async insert(token) {
      const { numInsertedOrUpdatedRows = 0n } = await db
        .insertInto('revoked_room_tokens')
        .values(revokedColumns.toRow(token))
        .onConflict((conflict) => conflict.columns(['token_id', 'project_id']).doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    },
    async findAmong(ids) {
      const found: RevokedRoomTokenRecord[] = []
      for (let start = 0; start < ids.length; start += IDS_PER_QUERY) {
        const rows = await db
          .selectFrom('revoked_room_tokens')
          .selectAll()
          .where('token_id', 'in', ids.slice(start, start + IDS_PER_QUERY))
          .execute()
        found.push(...rows.map(revokedColumns.fromRow))
      }
      return found
    },
    async deleteExpired(expiredBefore, revokedBefore) {
      await db
        .deleteFrom('revoked_room_tokens')
        .where('expires_at', '<', expiredBefore)
        .where('created_at', '<', revokedBefore)
        .execute()
    },
  }
}
