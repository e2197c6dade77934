import { type Dialect, PostgresDialect, PostgresQueryCompiler, type QueryCompiler } from 'kysely'
import pg from 'pg'
import { WaitingPool } from './waiting-pool.ts'

/** Object id of the type `int8`, which the driver would hand over as text. All of ours fit into a double. */
const INT8 = 20

/** A transaction that gives no sign of life for this long is rolled back, since others may wait for its locks. */
const IDLE_TRANSACTION_MS = 5000

/** For this long a statement waits for a lock that another one holds. */
const LOCK_MS = 5000
/** For this long a statement may go without an answer: PostgreSQL hangs, or the way to it is cut. */
const ANSWER_MS = 10_000

const CONNECTIONS = 10
/** How long one attempt to connect may take. */
const CONNECT_MS = 5000

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

/** PostgreSQL has no text with the character U+0000 in it; the replacement character takes its place. */
class TextCompiler extends PostgresQueryCompiler {
  protected override appendValue(parameter: unknown): void {
    super.appendValue(typeof parameter === 'string' ? parameter.replaceAll('\0', '\ufffd') : parameter)
  }
}

class TextPostgresDialect extends PostgresDialect {
  override createQueryCompiler(): QueryCompiler {
    return new TextCompiler()
  }
}

/**
 * Settings of each connection: what was answered is on disk, even where the server's own default is another. They are not sent
 * with the login, which poolers between us and the server refuse.
 */
const SETTINGS = `
  select set_config('idle_in_transaction_session_timeout', '${IDLE_TRANSACTION_MS}', false),
         set_config('lock_timeout', '${LOCK_MS}', false),
         set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false)`

/**
 * A PostgreSQL server through a pool of connections, which come back after it was away.
 * @param url such as `postgres://user:password@host:5432/database`
 * @param isPatient whether a statement may take as long as it likes, as the steps of a migration do
 */
export function postgresDialect(url: string, isPatient = false): Dialect {
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    ...(!isPatient && { query_timeout: ANSWER_MS }),
    keepAlive: true,
    application_name: 'parley',
  })
  return new TextPostgresDialect({ pool: new WaitingPool(pool, url, SETTINGS) })
}
