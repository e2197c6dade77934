import { mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'
import { RESTORING } from '../../storage/data-folder.ts'
import { systemRefusal } from '../command.ts'
import { copyToDisk, flushFile, isEmptyOrAbsent, isWithin, sha256Of } from './copying.ts'
import { type Manifest, POSTGRES_FILE, readManifest } from './manifest.ts'
import { isEmptyPostgres, restorePostgres } from './postgres-dump.ts'

/**
 * Restores a backup into an empty data folder, and its database into an empty PostgreSQL if it came from one.
 * @param onDone awaited when everything is restored, before a server may start on it
 * @throws OperatorError; nothing is changed then, unless a disk or a database fails halfway
 */
export async function restore(
  config: Config,
  folder: string,
  onDone: (manifest: Manifest) => Promise<void>,
): Promise<Manifest> {
  const { dataDir, databaseUrl } = config
  const manifest = await readManifest(folder)
  await checkWhole(folder, manifest)
  if (manifest.database === 'postgresql' && databaseUrl === null) {
    throw new OperatorError('The backup is of a PostgreSQL: name an empty one by PARLEY_DATABASE_URL.')
  }
  if (manifest.database === 'sqlite' && databaseUrl !== null) {
    throw new OperatorError('The backup is of the embedded database: restore it without PARLEY_DATABASE_URL.')
  }
  if (!(await isEmptyOrAbsent(dataDir))) {
    throw new OperatorError(`${dataDir} is not empty. Restore into a new folder, or empty this one first.`)
  }
  if (await isWithin(folder, dataDir))
    throw new OperatorError(`${dataDir} is in the backup. Restore into another folder.`)
  if (databaseUrl !== null && !(await isEmptyPostgres(databaseUrl))) {
    throw new OperatorError('The database of PARLEY_DATABASE_URL is not empty.')
  }
  await restoreFolder(folder, dataDir, manifest)
  if (databaseUrl !== null) await restorePostgres(databaseUrl, join(folder, POSTGRES_FILE))
  await onDone(manifest)
  await rmdir(join(dataDir, RESTORING))
  await flushFile(dataDir)
  return manifest
}

async function checkWhole(folder: string, manifest: Manifest): Promise<void> {
  for (const { path, size, sha256 } of manifest.files) {
    const found = await stat(join(folder, path)).catch(() => undefined)
    if (found?.size !== size) {
      throw new OperatorError(`The backup is damaged: ${path} ${found ? 'has another size' : 'is missing'}.`)
    }
    if (sha256 !== undefined && (await sha256Of(join(folder, path))) !== sha256) {
      throw new OperatorError(`The backup is damaged: ${path} has other content.`)
    }
  }
}

/** Restores the files. While the folder `.restoring` exists, no server starts on the incomplete data. */
async function restoreFolder(folder: string, dataDir: string, manifest: Manifest): Promise<void> {
  const draft = join(dataDir, RESTORING)
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 })
    await mkdir(draft, { mode: 0o700 })
    for (const { path } of manifest.files) {
      if (path !== POSTGRES_FILE) await copyToDisk(join(folder, path), join(draft, path))
    }
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    const reason = systemRefusal(error)
    if (reason === undefined) throw error
    throw new OperatorError(`Nothing was restored into ${dataDir}: ${reason}`, { cause: error })
  }
  for (const name of await readdir(draft)) await rename(join(draft, name), join(dataDir, name))
}
