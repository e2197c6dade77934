import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import SqliteDatabase from 'better-sqlite3'
import { makePrivateFolder } from './private-folder.ts'

/** The data folder cannot be used; the message says why. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable'
}

/** The data folder, held by this server alone until it is released. */
export interface DataFolder {
  readonly databaseFile: string
  readonly recordingsFolder: string
  /** Previews of running sessions; empty at the start. */
  readonly previewsFolder: string
  /** The folder was there before and others could read it; now they cannot. */
  readonly wasOpenToOthers: boolean
  release(): void
}

/** Where the embedded database of a data folder lies. */
export const databaseFile = (folder: string): string => join(folder, 'parley.db')

/** Where the recorded files of a data folder lie. */
export const recordingsFolder = (folder: string): string => join(folder, 'recordings')

/** Present in a data folder while a backup is being put into it. */
export const RESTORING = '.restoring'

/**
 * Makes the data folder where it is missing and takes hold of it. A second server on the same folder would end the
 * sessions of the first as interrupted.
 * @throws DataFolderUnusable when another server has it, when it cannot be written, or when it is half restored
 */
export function openDataFolder(folder: string): DataFolder {
  if (existsSync(join(folder, RESTORING))) {
    throw new DataFolderUnusable(
      `a backup is being restored into ${folder}, or was and did not come to its end; if so, empty it and restore anew`,
    )
  }
  const recordings = recordingsFolder(folder)
  const previews = join(folder, 'previews')
  try {
    const wasOpenToOthers = makePrivateFolder(folder)
    mkdirSync(recordings, { recursive: true, mode: 0o700 })
    const lock = takeLock(join(folder, 'lock'))
    // What a server that was killed has left.
    rmSync(previews, { recursive: true, force: true })
    mkdirSync(previews, { mode: 0o700 })
    return {
      databaseFile: databaseFile(folder),
      recordingsFolder: recordings,
      previewsFolder: previews,
      wasOpenToOthers,
      release: () => lock.close(),
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const reason = code.startsWith('SQLITE_BUSY')
      ? 'another server is using it'
      : code === 'EACCES' || code === 'EROFS'
        ? `${message}. Set PARLEY_DATA_DIR to a folder that this user may write to`
        : message
    throw new DataFolderUnusable(`cannot use the data folder ${folder}: ${reason}`, { cause: error })
  }
}

/** An open transaction is a lock that the system takes away from a process that dies, however it dies. */
function takeLock(file: string): SqliteDatabase.Database {
  const lock = new SqliteDatabase(file, { timeout: 500 })
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}
