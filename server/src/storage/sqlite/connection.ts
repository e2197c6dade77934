import SqliteDatabase from 'better-sqlite3'

type Statement = SqliteDatabase.Statement<unknown[]>

/** Statements that are kept prepared; there are fewer distinct ones than this unless lists vary wildly. */
const STATEMENT_CACHE_SIZE = 500

const CACHE_KIB = 16 * 1024

const NO_PARAMETERS: readonly unknown[] = []

/** What came of a statement. */
export interface Outcome {
  rows: unknown[]
  /** Rows that were inserted, updated or deleted; absent where the statement only reads or returns rows. */
  changes?: number
}

/** One connection to the database file, with the settings that all of ours have. Everything it does blocks. */
export class Connection {
  readonly #database: SqliteDatabase.Database
  readonly #prepared = new Map<string, Statement>()

  /**
   * @param file path of the database file; made when absent, but not to read
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
        // A commit that was answered has reached the disk.
        this.#database.pragma('synchronous = FULL')
        this.#database.pragma('foreign_keys = ON')
      }
    } catch (error) {
      this.#database.close()
      throw error
    }
  }

  /** Whether a transaction is open. SQLite may have ended it itself, when a statement met a full disk. */
  get inTransaction(): boolean {
    return this.#database.inTransaction
  }

  /** @throws SqliteError */
  run(sql: string, parameters: readonly unknown[] = NO_PARAMETERS): Outcome {
    const statement = this.#prepare(sql)
    if (statement.reader) return { rows: statement.all(parameters) }
    return { rows: [], changes: statement.run(parameters).changes }
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }

  /** Compiling a statement costs more than running it, and the same few come again and again. */
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
