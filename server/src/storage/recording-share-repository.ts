import type { RecordingShareRepository } from './interfaces/recordings.ts'
import type { Database } from './tables.ts'

/** Links by which recordings are shared, in the database. Only hashes of their secrets are stored. */
export function recordingShareRepository(db: Database): RecordingShareRepository {
  return {
    async insert(share) {
      await db.insertInto('recording_shares').values(share).execute()
    },
    async list(projectId, recordingId) {
      return db
        .selectFrom('recording_shares')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('recording_id', '=', recordingId)
        .orderBy('created_at')
        .execute()
    },
    async findByHash(hash) {
      return db.selectFrom('recording_shares').selectAll().where('hash', '=', hash).executeTakeFirst()
    },
    async delete(projectId, recordingId, id) {
      const result = await db
        .deleteFrom('recording_shares')
        .where('project_id', '=', projectId)
        .where('recording_id', '=', recordingId)
        .where('id', '=', id)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    async deleteExpired(before) {
      await db.deleteFrom('recording_shares').where('expires_at', '<', before).execute()
    },
  }
}
