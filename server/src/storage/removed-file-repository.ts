import type { RemovedFileRepository } from './interfaces/recordings.ts'
import type { Database } from './tables.ts'

/** Files whose recordings were deleted, and which may still be on a disk or in the store. */
export function removedFileRepository(db: Database): RemovedFileRepository {
  return {
    async insert(files, at) {
      const rows = files.map(({ file, node }) => ({ file, node, created_at: at }))
      await db
        .insertInto('removed_files')
        .values(rows)
        .onConflict((conflict) => conflict.column('file').doNothing())
        .execute()
    },
    async list(node, after, limit) {
      let query = db.selectFrom('removed_files').select(['file', 'node']).where('file', '>', after)
      if (node !== null) query = query.where((by) => by.or([by('node', '=', node), by('node', 'is', null)]))
      return query.orderBy('file').limit(limit).execute()
    },
    async delete(files) {
      if (files.length === 0) return
      await db.deleteFrom('removed_files').where('file', 'in', files).execute()
    },
    async forget(exceptNode, before) {
      await db
        .deleteFrom('removed_files')
        .where('created_at', '<', before)
        .where((by) => by.or([by('node', '!=', exceptNode), by('node', 'is', null)]))
        .execute()
    },
  }
}
