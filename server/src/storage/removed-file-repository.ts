import type { RemovedFileRepository } from './interfaces/recordings.ts'
import type { Database } from './tables.ts'

/** Files whose recordings were deleted, and which may still be on the disk. */
export function removedFileRepository(db: Database): RemovedFileRepository {
  return {
    async insert(files, at) {
      const rows = files.map((file) => ({ file, created_at: at }))
      await db
        .insertInto('removed_files')
        .values(rows)
        .onConflict((conflict) => conflict.column('file').doNothing())
        .execute()
    },
    async list(limit) {
      const rows = await db.selectFrom('removed_files').select('file').limit(limit).execute()
      return rows.map(({ file }) => file)
    },
    async delete(files) {
      if (files.length === 0) return
      await db.deleteFrom('removed_files').where('file', 'in', files).execute()
    },
  }
}
