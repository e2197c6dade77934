import SqliteDatabase from 'better-sqlite3'
import { OperatorError } from '../../errors/operator-error.ts'

/** All pages are copied in one step. Between steps, each write of the running server would restart the copy. */
const ALL_PAGES = 2 ** 31 - 1

/** A recording in the snapshot. */
export interface KnownRecording {
  id: string
  /** Path below the recordings folder. */
  file: string
}

/** A database that was not used by this version yet has no column `place`. */
export type RecordingRow = KnownRecording & { place?: string }

/** Those whose files should be on the disk. What is in the store of objects is no part of a backup. */
export const recordingsOnDisk = (rows: readonly RecordingRow[]): KnownRecording[] =>
  rows.filter(({ place }) => place !== 'store' && place !== 'lost').map(({ id, file }) => ({ id, file }))

/**
 * Copies a database in its state at one moment, while others write to it (SQLite's online backup).
 * @throws OperatorError when the copy is corrupt
 */
export async function snapshotSqlite(from: string, to: string): Promise<KnownRecording[]> {
  const source = new SqliteDatabase(from, { readonly: true, fileMustExist: true })
  try {
    await source.backup(to, { progress: () => ALL_PAGES })
  } finally {
    source.close()
  }
  return withSnapshot(to, (copy) => {
    const verdict = copy.pragma('quick_check', { simple: true })
    if (verdict !== 'ok') throw new OperatorError(`The database is damaged: ${verdict}`)
    return recordingsOnDisk(copy.prepare<[], RecordingRow>('select * from room_recordings').all())
  })
}

/**
 * Removes from a snapshot the recordings that were deleted while their files were being copied.
 * @param missing recordings whose files do not exist
 * @returns the recordings that are still in the database, so their files are lost
 */
export function forgetDeleted(
  original: string,
  snapshot: string,
  missing: readonly KnownRecording[],
): KnownRecording[] {
  if (missing.length === 0) return []
  const source = new SqliteDatabase(original, { readonly: true, fileMustExist: true })
  try {
    const find = source.prepare<[string]>('select 1 from room_recordings where id = ?')
    const lost = missing.filter(({ id }) => find.get(id) !== undefined)
    withSnapshot(snapshot, (copy) => {
      const forget = copy.prepare<[string]>('delete from room_recordings where id = ?')
      for (const recording of missing) if (!lost.includes(recording)) forget.run(recording.id)
    })
    return lost
  } finally {
    source.close()
  }
}

/** Opens a copy for `work`, and leaves it as a single file without a write-ahead log. */
function withSnapshot<T>(file: string, work: (copy: SqliteDatabase.Database) => T): T {
  const copy = new SqliteDatabase(file)
  try {
    const result = work(copy)
    copy.pragma('wal_checkpoint(TRUNCATE)')
    return result
  } finally {
    copy.close()
  }
}
