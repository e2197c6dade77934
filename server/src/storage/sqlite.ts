import SqliteDatabase from 'better-sqlite3'
import { type DialectAdapter, Kysely, SqliteAdapter, SqliteDialect } from 'kysely'
import type { Database, Tables } from './tables.ts'

/** SQLite can roll back changes of the schema; Kysely only does not count on it. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class TransactionalSqliteDialect extends SqliteDialect {
  override createAdapter(): DialectAdapter {
    return new TransactionalSqliteAdapter()
  }
}

/** Statements that are kept prepared; there are fewer distinct ones than this unless lists vary wildly. */
const STATEMENT_CACHE_SIZE = 500

/**
 * Opens the embedded database, which it creates when it is not there.
 * @param file path of the database file
 * @throws when the file cannot be opened or is no database
 */
export function openSqlite(file: string): Database {
  const connection = new SqliteDatabase(file)
  try {
    connection.pragma('journal_mode = WAL')
    // A commit that was answered has reached the disk.
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    connection.pragma('busy_timeout = 5000')
  } catch (error) {
    connection.close()
    throw error
  }
  return new Kysely<Tables>({
    dialect: new TransactionalSqliteDialect({
      database: {
        prepare: cachedPrepare(connection),
        close: () => {
          connection.close()
        },
      },
    }),
  })
}

/** Compiling a statement costs more than running it, and the same few come again and again. */
function cachedPrepare(connection: SqliteDatabase.Database) {
  const cache = new Map<string, SqliteDatabase.Statement<unknown[]>>()
  return (sql: string) => {
    const known = cache.get(sql)
    if (known) return known
    const statement = connection.prepare<unknown[]>(sql)
    const oldest = cache.size >= STATEMENT_CACHE_SIZE ? cache.keys().next().value : undefined
    if (oldest !== undefined) cache.delete(oldest)
    cache.set(sql, statement)
    return statement
  }
}

/** Whether a failed write met a row with the same unique key. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}
