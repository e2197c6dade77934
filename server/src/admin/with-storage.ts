import { existsSync, mkdirSync } from 'node:fs'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors/operator-error.ts'
import { databaseFile } from '../storage/data-folder.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'

/**
 * Opens the server's database, even while the server uses it.
 * @param mayCreate whether the database may be absent and is created then
 * @throws OperatorError, DatabaseTooNew, DatabaseUnreachable
 */
export async function withStorage<T>(
  config: Config,
  work: (storage: Storage) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const file = databaseFile(config.dataDir)
  if (config.databaseUrl === null && !existsSync(file)) {
    if (!mayCreate) {
      throw new OperatorError(
        `There is no database in ${config.dataDir}. Name the server's data folder by PARLEY_DATA_DIR or --data-dir.`,
      )
    }
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  }
  const storage = await openStorage(config.databaseUrl ?? file)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}
