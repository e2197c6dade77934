import { existsSync } from 'node:fs'
import { mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { backupsFolder, databaseFile, recordingsFolder } from '../../storage/data-folder.ts'
import { systemRefusal } from '../command.ts'
import { copyToDisk, filesBelow, flushFile, isEmptyOrAbsent, isWithin, sha256Of } from './copying.ts'
import { MANIFEST_FILE, type Manifest, POSTGRES_FILE, SQLITE_FILE } from './manifest.ts'
import { dumpPostgres } from './postgres-dump.ts'
import { forgetDeleted, type KnownRecording, snapshotSqlite } from './sqlite-snapshot.ts'

/** Result of a backup. */
export interface BackupResult {
  manifest: Manifest
  /** Recorded files that are in the database, but not on the disk. */
  lost: string[]
}

/** Who is told of a backup. */
export interface BackupListeners {
  /** Awaited before the first byte is copied, after all checks. */
  onBegin: () => Promise<void>
  /** Called after each file, with the bytes that are copied so far. */
  onCopied?: (bytes: number) => void
}

/**
 * Copies all stored data in its state at one moment, while the server runs: the database, its recordings, keys and
 * certificates. The folder gets its final name when it is complete.
 * @param destination a folder that does not exist or is empty; in the data folder only below
 * its folder of backups
 * @param version version of the server
 * @throws OperatorError
 */
export async function backUp(
  config: Config,
  destination: string,
  clock: Clock,
  version: string,
  { onBegin, onCopied = () => {} }: BackupListeners,
): Promise<BackupResult> {
  if (config.databaseUrl === null && !existsSync(databaseFile(config.dataDir))) {
    throw new OperatorError(`There is no database in ${config.dataDir}, so there is nothing to back up.`)
  }
  if (!(await isEmptyOrAbsent(destination))) throw new OperatorError(`${destination} is not empty.`)
  const isAmongBackups = await isWithin(backupsFolder(config.dataDir), destination)
  if ((await isWithin(config.dataDir, destination)) && !isAmongBackups) {
    throw new OperatorError(
      `${destination} is in the data folder. A backup belongs elsewhere, best on another disk.`,
    )
  }
  const draft = join(dirname(destination), `.${basename(destination)}.${process.pid}`)
  try {
    await mkdir(dirname(destination), { recursive: true })
    await mkdir(draft, { mode: 0o700 })
    await onBegin()
    const result = await fill(draft, config, { clock, version, onCopied })
    await rmdir(destination).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(draft, destination)
    await flushFile(dirname(destination))
    return result
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    const reason = systemRefusal(error)
    if (reason === undefined) throw error
    throw new OperatorError(`There is no backup in ${destination}: ${reason}`, { cause: error })
  }
}

interface FillOptions {
  clock: Clock
  version: string
  onCopied: (bytes: number) => void
}

async function fill(
  draft: string,
  config: Config,
  { clock, version, onCopied }: FillOptions,
): Promise<BackupResult> {
  const { dataDir, databaseUrl } = config
  const isLeftOut = leftOutOf(config)
  const created_at = new Date(clock.now()).toISOString()
  // The database is copied first. Files that it refers to exist already, and later files belong to a later moment.
  const database = databaseUrl === null ? SQLITE_FILE : POSTGRES_FILE
  const known =
    databaseUrl === null
      ? await snapshotSqlite(databaseFile(dataDir), join(draft, database))
      : await dumpPostgres(databaseUrl, join(draft, database))

  const files: Manifest['files'] = []
  let copiedBytes = (await stat(join(draft, database))).size
  const add = async (path: string, size: number) => {
    files.push({ path, size, sha256: await sha256Of(join(draft, path)) })
    copiedBytes += size
    onCopied(copiedBytes)
  }
  for (const path of await filesBelow(dataDir, isLeftOut).catch(noFolder)) {
    const size = await copyToDisk(join(dataDir, path), join(draft, path))
    if (size !== undefined) await add(path, size)
  }
  const missing: KnownRecording[] = []
  for (const recording of known) {
    const path = `recordings/${recording.file}`
    const size = await copyToDisk(join(recordingsFolder(dataDir), recording.file), join(draft, path))
    if (size === undefined) missing.push(recording)
    else await add(path, size)
  }
  const lost =
    databaseUrl === null ? forgetDeleted(databaseFile(dataDir), join(draft, database), missing) : missing
  await flushFile(join(draft, database))
  const { size } = await stat(join(draft, database))
  files.push({ path: database, size, sha256: await sha256Of(join(draft, database)) })

  const kind = databaseUrl === null ? 'sqlite' : 'postgresql'
  const manifest: Manifest = { format: 1, created_at, parley: version, database: kind, files }
  await writeFile(join(draft, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 })
  await flushFile(join(draft, MANIFEST_FILE))
  return { manifest, lost: lost.map(({ file }) => file) }
}

/** Which paths are copied in another way, are useless elsewhere, or are backups themselves. */
function leftOutOf({ dataDir, backupDir }: Config): (path: string) => boolean {
  const backups = relative(dataDir, backupDir ?? backupsFolder(dataDir))
  const apart = new Set(['recordings', 'backups', backups])
  return (path) => apart.has(path) || /^(lock|parley\.db)(-\w+)?$/.test(path)
}

/** Tolerates a missing folder: with PostgreSQL, there may be no files yet. */
function noFolder(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT') return []
  throw error
}
