import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SqliteDatabase from 'better-sqlite3'
import { OperatorError } from '../errors/operator-error.ts'
import { makePrivateFolder } from './private-folder.ts'

/** The data folder cannot be used; the message says why. */
export class DataFolderUnusable extends OperatorError {
  override readonly name = 'DataFolderUnusable'
}

/** The data folder. This server holds its lock until `release`. */
export interface DataFolder {
  readonly databaseFile: string
  readonly recordingsFolder: string
  /** Holds previews of running sessions. Empty when the server starts. */
  readonly previewsFolder: string
  /** Records that this server is ending, so that a server started meanwhile waits longer. */
  tellEnding(): void
  /** True if the folder existed and other users could read it. They no longer can. */
  readonly wasOpenToOthers: boolean
  release(): void
}

/** File beside the lock. It names the process that holds the folder. */
const HOLDER = 'lock-holder.json'
/**
 * How long a start waits for a server that is ending. That server ends its sessions and finishes its recordings
 * first.
 */
const ENDING_PATIENCE_MS = 60_000
/**
 * How long a start waits for a server that has not said it is ending. It may not have noticed yet that its parent
 * process is gone.
 */
const RUNNING_PATIENCE_MS = 3000
const RETRY_MS = 100
const WAITING_LINE_MS = 5000

/** Path of the embedded database in a data folder. */
export const databaseFile = (folder: string): string => join(folder, 'parley.db')

/** Path of the folder of recorded files in a data folder. */
export const recordingsFolder = (folder: string): string => join(folder, 'recordings')

/** Path of the folder of backups in a data folder, unless another is configured. */
export const backupsFolder = (folder: string): string => join(folder, 'backups')

/** Name of a file that exists in a data folder while a backup is restored into it. */
export const RESTORING = '.restoring'

/**
 * Locks the data folder as {@link openDataFolder} does, but waits for a server that is about to end.
 * @param tell receives lines for the operator during the wait
 * @throws DataFolderUnusable
 */
export async function holdDataFolder(folder: string, tell: (line: string) => void): Promise<DataFolder> {
  const startedAtMs = performance.now()
  let nextLineMs = 0
  for (;;) {
    try {
      return openDataFolder(folder)
    } catch (error) {
      if (!(error instanceof FolderTaken)) throw error
      const waitedMs = performance.now() - startedAtMs
      const { holder } = error
      if (holder?.pid === process.pid || waitedMs > patienceMs(holder)) throw error
      if (waitedMs >= nextLineMs) {
        tell(`The data folder ${folder} is still in use by ${nameOf(holder)}; waiting for it to end …`)
        nextLineMs += WAITING_LINE_MS
      }
    }
    await sleep(RETRY_MS)
  }
}

/**
 * Locks the data folder, and creates it if it is missing. Without the lock, a second server on the same folder would
 * mark the sessions of the first as interrupted.
 * @throws DataFolderUnusable if another server holds it, if it cannot be written, or if it is half restored
 */
export function openDataFolder(folder: string): DataFolder {
  if (existsSync(join(folder, RESTORING))) {
    throw new DataFolderUnusable(
      `a backup is being restored into ${folder}, or was and did not come to its end; if so, empty it and restore anew`,
    )
  }
  const recordings = recordingsFolder(folder)
  const previews = join(folder, 'previews')
  const holderFile = join(folder, HOLDER)
  try {
    const wasOpenToOthers = makePrivateFolder(folder)
    mkdirSync(recordings, { recursive: true, mode: 0o700 })
    const lock = takeLock(join(folder, 'lock'))
    const holder: Holder = {
      pid: process.pid,
      host: hostname(),
      since: new Date().toISOString(),
      ending: false,
    }
    writeHolder(holderFile, holder)
    // Remove the previews that a killed server left.
    rmSync(previews, { recursive: true, force: true })
    mkdirSync(previews, { mode: 0o700 })
    return {
      databaseFile: databaseFile(folder),
      recordingsFolder: recordings,
      previewsFolder: previews,
      wasOpenToOthers,
      tellEnding: () => writeHolder(holderFile, { ...holder, ending: true }),
      release() {
        try {
          rmSync(holderFile, { force: true })
        } catch {
          // The disk refuses changes. The next server overwrites the file.
        }
        lock.close()
      },
    }
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (code.startsWith('SQLITE_BUSY'))
      throw new FolderTaken(folder, readHolder(holderFile), { cause: error })
    const reason =
      code === 'EACCES' || code === 'EROFS'
        ? `${message}. Set PARLEY_DATA_DIR to a folder that this user may write to`
        : message
    throw new DataFolderUnusable(`cannot use the data folder ${folder}: ${reason}`, { cause: error })
  }
}

/** Another server holds the data folder. */
class FolderTaken extends DataFolderUnusable {
  readonly holder: Holder | null

  constructor(folder: string, holder: Holder | null, options: ErrorOptions) {
    super(`cannot use the data folder ${folder}: ${nameOf(holder)} is using it; stop that one first`, options)
    this.holder = holder
  }
}

/**
 * The process that holds the folder. Information for people only: the lock alone decides whether the folder is in
 * use.
 */
interface Holder {
  pid: number
  host: string
  /** ISO 8601. */
  since: string
  /** The process was told to stop. */
  ending: boolean
}

function patienceMs(holder: Holder | null): number {
  return holder?.ending ? ENDING_PATIENCE_MS : RUNNING_PATIENCE_MS
}

function nameOf(holder: Holder | null): string {
  if (!holder) return 'another server'
  const place = holder.host === hostname() ? '' : ` on ${holder.host}`
  return `another server (process ${holder.pid}${place}, since ${holder.since})`
}

function writeHolder(file: string, holder: Holder): void {
  try {
    writeFileSync(file, `${JSON.stringify(holder)}\n`, { mode: 0o600 })
  } catch {
    // A full disk must not prevent a server from starting or stopping. The lock does not need this file.
  }
}

/** Id of the process on this machine that holds a data folder; null when none does. */
export function processHolding(folder: string): number | null {
  const file = join(folder, 'lock')
  if (!existsSync(file)) return null
  try {
    // The file may name a process that was killed, and whose id another program has by now.
    takeLock(file).close()
    return null
  } catch {
    const holder = readHolder(join(folder, HOLDER))
    return holder?.host === hostname() ? holder.pid : null
  }
}

function readHolder(file: string): Holder | null {
  try {
    const { pid, host, since, ending } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string') return null
    return { pid, host, since, ending: ending === true }
  } catch {
    // The file is missing because that server has just ended, or it comes from an older version.
    return null
  }
}

/**
 * Takes the lock: an open exclusive transaction. The operating system releases it when the process dies, however it
 * dies. A lock by process id would fail, because ids are reused.
 */
function takeLock(file: string): SqliteDatabase.Database {
  const lock = new SqliteDatabase(file, { timeout: 0 })
  try {
    lock.exec('begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}
