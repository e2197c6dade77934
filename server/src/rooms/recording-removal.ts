import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { filesOf } from '../storage/recording-files.ts'
import type { RecordingRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredMedia } from './stored-recordings/stored-media.ts'

/** Files of one round of {@link RecordingRemoval.retry}. */
const PORTION = 100

/** Deletes recordings with their files. */
export interface RecordingRemoval {
  /**
   * Deletes the record. Call it in a transaction, and {@link removeFiles} after it. The record goes first, so that no link
   * works any more, and notes the files, so that they are removed even if the server is killed in between.
   * @returns false if somebody else has deleted it
   */
  deleteRecord(tx: Pick<Storage, 'recordings' | 'removedFiles'>, recording: RecordingRecord): Promise<boolean>
  /** Removes the files of deleted records. What the disk or the store refuses is left to {@link retry}. */
  removeFiles(recordings: readonly RecordingRecord[]): Promise<void>
  /** Removes files that an earlier deletion could not remove. */
  retry(): Promise<void>
}

export interface RecordingRemovalOptions {
  storage: Pick<Storage, 'removedFiles'>
  clock: { now(): number }
  log: Logger
  /** Absolute path of the folder with the recording files. */
  folder: string
  /** The files in the store; null without a store. */
  stored: Pick<StoredMedia, 'remove'> | null
}

export function createRecordingRemoval({
  storage,
  clock,
  log,
  folder,
  stored,
}: RecordingRemovalOptions): RecordingRemoval {
  async function removeAll(files: readonly string[]): Promise<void> {
    const gone: string[] = []
    for (const file of files) {
      try {
        await rm(join(folder, file), { force: true })
        await stored?.remove(file)
        gone.push(file)
      } catch (error) {
        log.warn({ err: error, file }, 'a file of a deleted recording could not be removed yet')
      }
    }
    await storage.removedFiles.delete(gone)
  }

  return {
    async deleteRecord(tx, recording) {
      if (!(await tx.recordings.delete(recording.project_id, recording.id))) return false
      await tx.removedFiles.insert(filesOf(recording), clock.now())
      return true
    },
    async removeFiles(recordings) {
      try {
        await removeAll(recordings.flatMap(filesOf))
      } catch (error) {
        log.warn({ err: error }, 'the database did not learn yet which files were removed')
      }
    },
    retry: async () => removeAll(await storage.removedFiles.list(PORTION)),
  }
}
