import { dirname } from 'node:path'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import { diskSpace } from '../../storage/disk-space.ts'

/** A complete backup in the folder of the server. */
export interface KeptBackup {
  name: string
  /** ISO 8601. */
  createdAt: string
  bytes: number
  version: string
}

/** Makes and lists backups. The dashboard does not know how. */
export interface BackupKeeper {
  readonly folder: string
  /** Newest first. */
  list(): Promise<KeptBackup[]>
  /** Bytes that a backup takes, as far as one can say before. */
  expectedBytes(): Promise<number>
  /**
   * Makes a backup outside of this process.
   * @param onCopied is told the bytes that it has so far
   * @throws when there is none; the message is for the operator
   */
  make(name: string, onCopied: (bytes: number) => void, signal: AbortSignal): Promise<void>
}

/** State of the backups. */
export interface BackupsState {
  folder: string
  freeBytes: number
  running: boolean
  copiedBytes: number
  problem: string | null
  backups: KeptBackup[]
}

/** Backups that people start on the dashboard: one at a time. */
export interface Backups {
  state(): Promise<BackupsState>
  /**
   * Starts a backup, unless one is being made.
   * @param onBegin awaited before it begins
   * @throws Refusal `no_space` when there is no room for it
   */
  start(onBegin: (name: string) => Promise<void>): Promise<void>
  /** Gives up the one that is being made. */
  stop(): Promise<void>
}

/**
 * Creates {@link Backups}.
 * @param minFreeBytes what a backup leaves free, so that recordings go on
 */
export function createBackups(keeper: BackupKeeper, clock: Clock, minFreeBytes: number): Backups {
  let current: Promise<void> | null = null
  let copiedBytes = 0
  let problem: string | null = null
  const end = new AbortController()

  async function checkRoom(): Promise<void> {
    const [needed, { freeBytes }] = await Promise.all([keeper.expectedBytes(), freeSpace(keeper.folder)])
    if (freeBytes - needed >= minFreeBytes) return
    const message = `A backup needs about ${megabytes(needed)}, and ${megabytes(minFreeBytes)} have to stay free, but only ${megabytes(freeBytes)} are free. Make room, or set PARLEY_BACKUP_DIR to another disk.`
    throw new Refusal('no_space', message)
  }

  async function run(onBegin: (name: string) => Promise<void>): Promise<void> {
    problem = null
    copiedBytes = 0
    const name = new Date(clock.now()).toISOString().replaceAll(':', '-')
    await checkRoom()
    await onBegin(name)
    const made = keeper.make(name, (bytes) => (copiedBytes = bytes), end.signal)
    current = made
      .catch((error: unknown) => {
        problem = error instanceof Error ? error.message : String(error)
      })
      .finally(() => {
        current = null
        isStarting = false
      })
  }

  let isStarting = false
  return {
    async state() {
      const [backups, { freeBytes }] = await Promise.all([keeper.list(), freeSpace(keeper.folder)])
      return { folder: keeper.folder, freeBytes, running: isStarting, copiedBytes, problem, backups }
    },
    async start(onBegin) {
      if (isStarting || end.signal.aborted) return
      isStarting = true
      try {
        await run(onBegin)
      } catch (error) {
        isStarting = false
        throw error
      }
    },
    async stop() {
      end.abort()
      await current
    },
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`

/** The folder may not be there yet: then it will be on the disk of the one above it. */
async function freeSpace(folder: string): Promise<{ freeBytes: number }> {
  return diskSpace(folder).catch(() => diskSpace(dirname(folder)))
}
