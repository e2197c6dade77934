import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import type pg from 'pg'
import { OperatorError } from '../../errors/operator-error.ts'

/** The database cannot be used. The message names the database, without its password, and the reason. */
export class DatabaseUnreachable extends OperatorError {
  override readonly name = 'DatabaseUnreachable'
}

/** How long a request waits for an unreachable database. A restart takes seconds. */
const PATIENCE_MS = 10_000
const RETRY_MS = 250

/** A server that takes no writes, such as a standby (PostgreSQL, appendix A). */
const ONLY_READS = '25006'
/** Errors that occur while the database is being started, stopped or replaced (appendix A: class 57). */
const PASSING = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  ONLY_READS,
])

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'there is no host of that name',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to that host',
  '57P03': 'it is starting up or shutting down',
  [ONLY_READS]: 'it takes no writes, as a standby does',
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** A connection was cut before it could be used. Another attempt may succeed. */
class CutConnection extends Error {
  override readonly name = 'CutConnection'
}

/** The connection leads to a server that takes no writes. Another attempt may lead to one that does. */
class OnlyReads extends Error {
  override readonly name = 'OnlyReads'
  readonly code = ONLY_READS
}

/** A pool that waits while its database is briefly unreachable. After that it fails with a readable message. */
export class WaitingPool implements PostgresPool {
  readonly #pool: pg.Pool
  readonly #settings: string
  /**
   * Connections whose settings were made. Kysely identifies a connection by its object, so the object must stay the
   * same.
   */
  readonly #clients = new WeakMap<pg.PoolClient, WatchedClient>()
  readonly #place: string
  readonly #patienceMs: number
  #ended = false

  /**
   * @param url URL of the database, for messages
   * @param settings SQL that runs once on each new connection, which is given up if `only_reads` of its row is true
   * @param patienceMs how long to wait for an unreachable database, in milliseconds
   */
  constructor(pool: pg.Pool, url: string, settings: string, patienceMs = PATIENCE_MS) {
    this.#pool = pool
    this.#settings = settings
    this.#place = databasePlace(url)
    this.#patienceMs = patienceMs
    // A broken connection is replaced. A user of it gets the error from its next query.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }

  get options(): object {
    return this.#pool.options
  }

  /** @throws DatabaseUnreachable */
  async connect(): Promise<PostgresPoolClient> {
    const giveUpAt = performance.now() + this.#patienceMs
    for (;;) {
      try {
        return await this.#prepared(await this.#pool.connect())
      } catch (error) {
        const isPassing = PASSING.has(codeOf(error)) || error instanceof CutConnection
        const passes = isPassing && !this.#ended
        if (!passes || performance.now() > giveUpAt) throw unreachable(this.#place, error)
        await sleep(RETRY_MS)
      }
    }
  }

  /**
   * Applies the settings to a new connection. Kysely could do this too, but it never releases a connection on which
   * it fails.
   */
  async #prepared(client: pg.PoolClient): Promise<WatchedClient> {
    const known = this.#clients.get(client)
    if (known) return known
    try {
      const { rows } = await client.query<{ only_reads?: boolean }>(this.#settings)
      if (rows[0]?.only_reads) throw new OnlyReads('the server takes no writes')
    } catch (error) {
      client.release(true)
      if (codeOf(error) !== '') throw error
      throw new CutConnection('the connection was cut before it could be used', { cause: error })
    }
    const watched = new WatchedClient(client)
    this.#clients.set(client, watched)
    return watched
  }

  async end(): Promise<void> {
    this.#ended = true
    await this.#pool.end()
  }
}

/**
 * A connection that is discarded after a query on it was given up. PostgreSQL may still execute that query, for
 * example begin a transaction, and the next user of the connection would be inside it. One whose server takes no writes any
 * more is discarded too: the next one may lead to its successor.
 */
class WatchedClient implements PostgresPoolClient {
  readonly #client: PostgresPoolClient
  readonly #release: (isBroken: boolean) => void
  #isDoubtful = false

  constructor(client: pg.PoolClient) {
    this.#client = client as PostgresPoolClient
    this.#release = (isBroken) => client.release(isBroken)
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>
  query<R>(
    query: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    return typeof query === 'string' ? this.#watched<R>(query, parameters) : this.#client.query<R>(query)
  }

  async #watched<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    try {
      return await this.#client.query<R>(sql, parameters)
    } catch (error) {
      // Error answers of PostgreSQL have a code. An error without a code means that no answer came.
      const code = codeOf(error)
      if (code === '' || code === ONLY_READS) this.#isDoubtful = true
      throw error
    }
  }

  /** @param isDiscarded true if the connection must not be used again, for example after a failed rollback */
  release(isDiscarded?: boolean): void {
    this.#release(this.#isDoubtful || isDiscarded === true)
  }
}

/**
 * Describes why a database cannot be connected to.
 * @param place as returned by {@link databasePlace}
 */
export function unreachable(place: string, error: unknown): DatabaseUnreachable {
  // If one host has several addresses, the error of the first one is enough.
  const [first = error] = error instanceof AggregateError ? error.errors : [error]
  const said = first instanceof Error ? first.message : String(first)
  const reason = REASONS[codeOf(first)] ?? said
  return new DatabaseUnreachable(`PostgreSQL at ${place} cannot be used: ${reason}`, { cause: error })
}

/** User, host and database of a URL, without the password. */
export function databasePlace(url: string): string {
  const { username, host, pathname, searchParams } = new URL(url)
  const user = username ? `${decodeURIComponent(username)}@` : ''
  return `${user}${searchParams.get('host') ?? (host || 'localhost')}${decodeURIComponent(pathname)}`
}
