import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { RemovedFile } from '../storage/interfaces/recordings.ts'
import { filesOf } from '../storage/recording-files.ts'
import type { RecordingRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { StoredMedia } from './stored-recordings/stored-media.ts'

/** Files that are read from the database at once. */
const PORTION = 100
/** For so long a node may be away and still remove its files of deleted recordings when it is back. */
const AWAY_MS = 90 * 24 * 60 * 60 * 1000

/** Deletes recordings with their files. */
export interface RecordingRemoval {
  /**
   * Deletes the record. Call it in a transaction, and {@link removeFiles} after it. The record goes first, so that no link
   * works any more, and notes the files, so that they are removed even if the server is killed in between.
   * @returns the files; null if somebody else has deleted it
   */
  deleteRecord(
    tx: Pick<Storage, 'recordings' | 'removedFiles' | 'sessions'>,
    recording: RecordingRecord,
  ): Promise<RemovedFile[] | null>
  /**
   * Removes the files of deleted records. What the disk or the store refuses, and what is on the disk of another node, is
   * left to {@link retry}.
   */
  removeFiles(files: readonly RemovedFile[]): Promise<void>
  /** Removes files of this node that an earlier deletion, by whichever node, could not remove. */
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
  /** The node that has that folder. A server without others takes every file for its own, whatever its name was. */
  here: { node: string; isAlone: boolean }
  /** Tells other nodes that there are files for them. Without it they notice by themselves, some minutes later. */
  tellOthers?: () => void
}

export function createRecordingRemoval(options: RecordingRemovalOptions): RecordingRemoval {
  const { storage, clock, log, folder, stored, here, tellOthers } = options

  /** @returns whether nobody has to remove the file any more */
  async function remove({ file, node }: RemovedFile): Promise<boolean> {
    const wasHere = await removeFromDisk(join(folder, file))
    await stored?.remove(file)
    return wasHere || here.isAlone || node === here.node
  }

  async function removeAll(files: readonly RemovedFile[]): Promise<void> {
    const gone: string[] = []
    for (const removed of files) {
      try {
        if (await remove(removed)) gone.push(removed.file)
      } catch (error) {
        log.warn({ err: error, file: removed.file }, 'a file of a deleted recording could not be removed yet')
      }
    }
    await storage.removedFiles.delete(gone)
  }

  /** Where the file is; null if nobody knows, as for recordings from before the server had others. */
  async function nodeOf(
    { sessions }: Pick<Storage, 'sessions'>,
    { place, project_id, room_session_id }: RecordingRecord,
  ): Promise<string | null> {
    // What is in the store can be removed by any node.
    if (here.isAlone || place === 'store' || place === 'lost') return here.node
    return (await sessions.find(project_id, room_session_id))?.owner_node ?? null
  }

  return {
    async deleteRecord(tx, recording) {
      if (!(await tx.recordings.delete(recording.project_id, recording.id))) return null
      const node = await nodeOf(tx, recording)
      const files = filesOf(recording).map((file) => ({ file, node }))
      await tx.removedFiles.insert(files, clock.now())
      return files
    },
    async removeFiles(files) {
      try {
        await removeAll(files)
      } catch (error) {
        log.warn({ err: error }, 'the database did not learn yet which files were removed')
      }
      if (!here.isAlone && files.some(({ node }) => node !== here.node)) tellOthers?.()
    },
    async retry() {
      const { removedFiles } = storage
      const node = here.isAlone ? null : here.node
      let after = ''
      for (;;) {
        const page = await removedFiles.list(node, after, PORTION)
        await removeAll(page)
        const last = page.at(-1)
        if (!last || page.length < PORTION) break
        after = last.file
      }
      if (node !== null) await removedFiles.forget(node, clock.now() - AWAY_MS)
    },
  }
}

/** @returns whether the file was there */
async function removeFromDisk(path: string): Promise<boolean> {
  try {
    await unlink(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
