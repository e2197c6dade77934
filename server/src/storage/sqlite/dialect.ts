import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { DirectQueries, DirectQueriesAdapter } from '../compiled-query.ts'
import { BatchedLookups } from './batched-lookups.ts'
import { Connection, type Outcome } from './connection.ts'
import { DatabaseThread } from './database-thread.ts'

/** SQLite can roll back schema changes, but Kysely's own adapter says it cannot. */
class SqliteThreadsAdapter extends SqliteAdapter implements DirectQueriesAdapter {
  readonly #driver: SqliteThreadsDriver

  constructor(driver: SqliteThreadsDriver) {
    super()
    this.#driver = driver
  }

  get directQueries(): DirectQueries | undefined {
    return this.#driver.directQueries
  }

  override get supportsTransactionalDdl(): boolean {
    return true
  }

  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * SQLite with separate paths for writes and reads. Writes run in one thread, in groups (see `group-commit.ts`).
 * Look-ups by key run on the main thread (see `batched-lookups.ts`), because sending them to a thread would take
 * longer. Pages of lists run in a second thread, because they may scan many rows.
 * @param file path of the database file. It is created if missing
 */
export function sqliteDialect(file: string): Dialect {
  const driver = new SqliteThreadsDriver(file)
  return {
    createAdapter: (): DialectAdapter => new SqliteThreadsAdapter(driver),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

interface Ends {
  writer: DatabaseThread
  lookups: BatchedLookups
  /** Starts with the first page that is read. */
  pages(): Promise<DatabaseThread>
  close(): Promise<void>
}

async function openEnds(file: string): Promise<Ends> {
  let lookups: BatchedLookups | undefined
  const writer = await DatabaseThread.open(
    { file, mode: 'write' },
    { onAnswers: () => lookups?.forgetVersion() },
  )
  try {
    lookups = new BatchedLookups(new Connection(file, 'read'))
  } catch (error) {
    await writer.close()
    throw error
  }
  const found = lookups
  let pages: Promise<DatabaseThread> | undefined
  return {
    writer,
    lookups: found,
    pages: () => (pages ??= DatabaseThread.open({ file, mode: 'read' })),
    async close() {
      found.close()
      await pages?.then((thread) => thread.close())
      // The writer closes last: the last connection to close moves the WAL into the database file.
      await writer.close()
    },
  }
}

class SqliteThreadsDriver implements Driver {
  readonly #file: string
  #ends: Ends | undefined
  #directQueries: DirectQueries | undefined
  #transactions = 0

  constructor(file: string) {
    this.#file = file
  }

  get directQueries(): DirectQueries | undefined {
    return this.#directQueries
  }

  async init(): Promise<void> {
    const ends = await openEnds(this.#file)
    this.#ends = ends
    this.#directQueries = {
      find: (sql, parameters) => ends.lookups.recall(sql, parameters),
      write: (sql, parameters) => ends.writer.ask({ kind: 'run', transaction: null, sql, parameters }),
      version: () => ends.lookups.version(),
    }
  }

  async acquireConnection(): Promise<SqliteThreadsConnection> {
    if (!this.#ends) throw new Error('the database is closed')
    return new SqliteThreadsConnection(this.#ends)
  }

  async beginTransaction(connection: SqliteThreadsConnection): Promise<void> {
    connection.transaction = ++this.#transactions
  }

  async commitTransaction(connection: SqliteThreadsConnection): Promise<void> {
    await connection.end('commit')
  }

  async rollbackTransaction(connection: SqliteThreadsConnection): Promise<void> {
    await connection.end('rollback')
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    const ends = this.#ends
    this.#ends = undefined
    this.#directQueries = undefined
    await ends?.close()
  }
}

class SqliteThreadsConnection implements DatabaseConnection {
  readonly #ends: Ends
  transaction: number | null = null
  /** The error that prevents the transaction from being committed. */
  #failure: unknown

  constructor(ends: Ends) {
    this.#ends = ends
  }

  async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const request = { kind: 'run', transaction: this.transaction, sql, parameters } as const
    if (this.transaction === null && SelectQueryNode.is(query)) {
      if (!query.limit) return { rows: (await this.#ends.lookups.find(sql, parameters)) as R[] }
      const pages = await this.#ends.pages()
      return toResult(await pages.ask(request))
    }
    try {
      return toResult(await this.#ends.writer.ask(request))
    } catch (error) {
      this.#failure ??= error
      throw error
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query)
  }

  /** @throws the error of a failed statement of the transaction. PostgreSQL would not commit it either */
  async end(kind: 'commit' | 'rollback'): Promise<void> {
    const transaction = this.transaction
    const failure = this.#failure
    if (transaction === null) return
    this.transaction = null
    this.#failure = undefined
    const refused = kind === 'commit' && failure !== undefined
    await this.#ends.writer.ask({ kind: refused ? 'rollback' : kind, transaction })
    if (refused) throw failure
  }
}

function toResult<R>({ rows, changes }: Outcome): QueryResult<R> {
  const result = { rows: rows as R[] }
  return changes === undefined ? result : { ...result, numAffectedRows: BigInt(changes) }
}
