import { fork } from 'node:child_process'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import { backupsFolder, databaseFile, recordingsFolder } from '../../storage/data-folder.ts'
import { filesBelow } from './copying.ts'
import { readManifest } from './manifest.ts'

const PROCESS = fileURLToPath(new URL('./backup-process.ts', import.meta.url))
/** Backups that are listed. */
const LISTED_MAX = 100

/** A complete backup. */
interface KeptBackup {
  name: string
  /** ISO 8601. */
  createdAt: string
  bytes: number
  /** Version of the server that made it. */
  version: string
}

/** The folder in which a running server keeps backups. */
export interface KeptBackups {
  readonly folder: string
  list(): Promise<KeptBackup[]>
  expectedBytes(): Promise<number>
  make(name: string, onCopied: (bytes: number) => void, signal: AbortSignal): Promise<void>
}

/**
 * The backups that a running server makes itself, each a folder named after its time.
 * @param env the options of the server
 */
export function keptBackups(
  config: Pick<Config, 'dataDir' | 'backupDir'>,
  env: Readonly<Record<string, string | undefined>>,
): KeptBackups {
  const folder = config.backupDir ?? backupsFolder(config.dataDir)
  return {
    folder,
    async list() {
      const names = await readdir(folder).catch(() => [])
      const newest = names
        .filter((name) => !name.startsWith('.'))
        .sort()
        .reverse()
      const found = await Promise.all(newest.slice(0, LISTED_MAX).map((name) => describe(folder, name)))
      return found.filter((one) => one !== null)
    },
    async expectedBytes() {
      const database = await sizeOf(databaseFile(config.dataDir))
      const recordings = recordingsFolder(config.dataDir)
      const files = await filesBelow(recordings).catch(() => [])
      let bytes = database
      for (const file of files) bytes += await sizeOf(join(recordings, file))
      return bytes
    },
    async make(name, onCopied, signal) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await run(folder, name, { env, onCopied, signal })
    },
  }
}

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

/** @returns null if it is no complete backup */
async function describe(folder: string, name: string): Promise<KeptBackup | null> {
  const manifest = await readManifest(join(folder, name)).catch(() => null)
  if (!manifest) return null
  const bytes = manifest.files.reduce((sum, { size }) => sum + size, 0)
  return { name, createdAt: manifest.created_at, bytes, version: manifest.parley }
}

interface RunOptions {
  env: Readonly<Record<string, string | undefined>>
  onCopied: (bytes: number) => void
  signal: AbortSignal
}

function run(folder: string, name: string, { env, onCopied, signal }: RunOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(PROCESS, [join(folder, name)], { env: { ...env }, stdio: 'ignore' })
    let problem: string | null = null
    const stop = () => child.kill('SIGKILL')
    signal.addEventListener('abort', stop)
    child.on('message', (told: { bytes?: number; problem?: string }) => {
      if (told.bytes !== undefined) onCopied(told.bytes)
      if (told.problem !== undefined) problem = told.problem
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      signal.removeEventListener('abort', stop)
      if (code === 0) return resolve()
      // A process that was killed could not take its draft away.
      const draft = join(folder, `.${name}.${child.pid}`)
      void rm(draft, { recursive: true, force: true })
        .catch(() => {})
        .then(() => reject(new Error(problem ?? 'The backup was broken off.')))
    })
  })
}
