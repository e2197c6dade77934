import { existsSync, mkdirSync } from 'node:fs'
import type { Config } from '../config.ts'
import { databaseFile } from '../storage/data-folder.ts'
import { openStorage } from '../storage/open-storage.ts'
import type { Storage } from '../storage/storage.ts'
import { Refusal } from './command.ts'

/**
 * Opens the database that the server uses, beside the server.
 * @param mayCreate whether there may be none yet
 * @throws Refusal, DatabaseTooNew, DatabaseUnreachable
 */
export async function withStorage<T>(
  config: Config,
  work: (storage: Storage) => Promise<T>,
  { mayCreate = false } = {},
): Promise<T> {
  const file = databaseFile(config.dataDir)
  if (config.databaseUrl === null && !existsSync(file)) {
    if (!mayCreate) {
      throw new Refusal(
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
