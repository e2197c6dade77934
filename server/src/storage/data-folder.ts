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

/** The data folder, held by this server alone until it is released. */
export interface DataFolder {
  readonly databaseFile: string
  readonly recordingsFolder: string
  /** Previews of running sessions; empty at the start. */
  readonly previewsFolder: string
  /** Lets a server that is started meanwhile know that it is worth waiting. */
  tellEnding(): void
  /** The folder was there before and others could read it; now they cannot. */
  readonly wasOpenToOthers: boolean
  release(): void
}

/** Says which process has the folder, beside the lock. */
const HOLDER = 'lock-holder.json'
/** How long a start waits for a server that is ending: sessions end and recordings are finished meanwhile. */
const ENDING_PATIENCE_MS = 60_000
/** How long for one that does not say so: it may not have noticed yet that whoever started it is gone. */
const RUNNING_PATIENCE_MS = 3000
const RETRY_MS = 100
const WAITING_LINE_MS = 5000

/** Where the embedded database of a data folder lies. */
export const databaseFile = (folder: string): string => join(folder, 'parley.db')

/** Where the recorded files of a data folder lie. */
export const recordingsFolder = (folder: string): string => join(folder, 'recordings')

/** Present in a data folder while a backup is being put into it. */
export const RESTORING = '.restoring'

/**
 * Takes hold of the data folder as {@link openDataFolder} does, and waits for a server that is about to end.
 * @param tell gets a line for the operator while it waits
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
    // What a server that was killed has left.
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
          // The disk takes nothing any more. The next server writes over it.
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

/** Another server has the data folder. */
class FolderTaken extends DataFolderUnusable {
  readonly holder: Holder | null

  constructor(folder: string, holder: Holder | null, options: ErrorOptions) {
    super(`cannot use the data folder ${folder}: ${nameOf(holder)} is using it; stop that one first`, options)
    this.holder = holder
  }
}

/** Which process has the folder. Only for people: whether somebody has it is decided by the lock alone. */
interface Holder {
  pid: number
  host: string
  /** ISO 8601. */
  since: string
  /** It was told to stop. */
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
    // A full disk must not keep a server from starting or stopping; the lock does not need this file.
  }
}

function readHolder(file: string): Holder | null {
  try {
    const { pid, host, since, ending } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Holder>
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'string') return null
    return { pid, host, since, ending: ending === true }
  } catch {
    // It has just ended, or is a server of an older version.
    return null
  }
}

/**
 * An open transaction is a lock that the system takes away from a process that dies, however it dies. It does not depend
 * on process ids, which are used again.
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
