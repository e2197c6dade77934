import SqliteDatabase from 'better-sqlite3'

type Statement = SqliteDatabase.Statement<unknown[]>

/**
 * Maximum number of prepared statements that are kept. The server has fewer distinct statements, unless lists use
 * very many combinations of filters.
 */
const STATEMENT_CACHE_SIZE = 500

const CACHE_KIB = 16 * 1024

const NO_PARAMETERS: readonly unknown[] = []

/** Result of a statement. */
export interface Outcome {
  rows: unknown[]
  /** Number of rows that were inserted, updated or deleted. Absent for statements that return rows. */
  changes?: number
}

/** One connection to the database file, with the settings that all connections share. All methods block. */
export class Connection {
  readonly #database: SqliteDatabase.Database
  readonly #prepared = new Map<string, Statement>()
  readonly #dataVersion: Statement

  /**
   * @param file path of the database file. It is created if missing, except in mode `read`
   * @throws SqliteError when the file cannot be opened or is no database
   */
  constructor(file: string, mode: 'write' | 'read') {
    const readonly = mode === 'read'
    this.#database = new SqliteDatabase(file, { readonly, fileMustExist: readonly })
    try {
      this.#database.pragma('busy_timeout = 5000')
      this.#database.pragma(`cache_size = -${CACHE_KIB}`)
      this.#database.pragma('temp_store = MEMORY')
      if (!readonly) {
        this.#database.pragma('journal_mode = WAL')
        // FULL: a commit that was answered has reached the disk.
        this.#database.pragma('synchronous = FULL')
        this.#database.pragma('foreign_keys = ON')
      }
      this.#dataVersion = this.#database.prepare<unknown[]>('pragma data_version').pluck()
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** Whether a transaction is open. SQLite itself may have ended it, for example when a statement met a full disk. */
  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  /** @throws SqliteError */
  run(sql: string, parameters: readonly unknown[] = NO_PARAMETERS): Outcome {
    const statement = this.#prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) }
    return { rows: [], changes: statement.run(parameters).changes }
  }

  /**
   * A number that changes when another connection has changed the database; changes of this one do not count.
   * @throws SqliteError
   */
  dataVersion(): number {
    return this.#dataVersion.get() as number
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }

  /** Keeps prepared statements, because compiling one costs more than running it, and the same few repeat. */
  #prepare(sql: string): Statement {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.#database.prepare<unknown[]>(sql)
    const oldest =
      this.#prepared.size >= STATEMENT_CACHE_SIZE ? this.#prepared.keys().next().value : undefined
    if (oldest !== undefined) this.#prepared.delete(oldest)
    this.#prepared.set(sql, statement)
    return statement
  }
}
