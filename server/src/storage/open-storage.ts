import { type Dialect, Kysely, type Logger } from 'kysely'
import { migrate } from './migrate.ts'
import { repositories } from './repositories.ts'
import { sqliteDialect } from './sqlite/dialect.ts'
import type { Storage } from './storage.ts'
import type { Database, Tables } from './tables.ts'

const isPostgres = (location: string) => /^postgres(ql)?:/.test(location)

/**
 * Opens the connections to a database without changing its schema. Statements have no time limit.
 * @param location a `postgres:` URL, or the path of an SQLite file, which is created if missing
 * @param log receives every query
 */
export async function openDatabase(location: string, log?: Logger): Promise<Database> {
  const dialect = isPostgres(location) ? await postgres(location, true) : sqliteDialect(location)
  return new Kysely<Tables>(log ? { dialect, log } : { dialect })
}

/**
 * Opens a database and brings its schema up to date.
 * @param location as for {@link openDatabase}
 * @throws DatabaseTooNew when a newer version of the server wrote it
 * @throws DatabaseUnreachable when there is no PostgreSQL at that URL, or it refuses the login
 */
export async function openStorage(location: string): Promise<Storage> {
  const db = await openMigrated(location)
  const listeners = new Set<() => void>()
  const tellListeners = () => {
    for (const listener of listeners) listener()
  }
  return {
    ...repositories(db, tellListeners),
    async transaction(work) {
      let hasEvents = false
      const result = await db.transaction().execute((tx) =>
        work(
          repositories(tx, () => {
            hasEvents = true
          }),
        ),
      )
      if (hasEvents) tellListeners()
      return result
    },
    onEvents(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close: () => db.destroy(),
  }
}

async function openMigrated(location: string): Promise<Database> {
  const patient = await openDatabase(location)
  try {
    await migrate(patient)
  } catch (error) {
    await patient.destroy()
    throw error
  }
  if (!isPostgres(location)) return patient
  await patient.destroy()
  return new Kysely<Tables>({ dialect: await postgres(location) })
}

/** Servers on SQLite do without the driver. */
async function postgres(url: string, isPatient = false): Promise<Dialect> {
  const { postgresDialect } = await import('./postgres/dialect.ts')
  return postgresDialect(url, isPatient)
}
