import { type Dialect, PostgresDialect, PostgresQueryCompiler, type QueryCompiler } from 'kysely'
import pg from 'pg'
import { WaitingPool } from './waiting-pool.ts'

/** Object id of the type `int8`, which the driver would return as text. All of Parley's values fit into a double. */
const INT8 = 20

/** A transaction without a statement for this long is rolled back, because others may wait for its locks. */
const IDLE_TRANSACTION_MS = 5000

/** How long a statement waits for a lock that another transaction holds. */
const LOCK_MS = 5000
/** How long a statement may go without an answer, because PostgreSQL hangs or the network is cut. */
const ANSWER_MS = 10_000

const CONNECTIONS = 10
/** How long one attempt to connect may take. */
const CONNECT_MS = 5000

const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    return oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)
  },
} as pg.CustomTypesConfig

/** PostgreSQL cannot store U+0000 in text. It is replaced by the replacement character. */
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
 * Settings of each connection, and whether its server takes writes. They ensure that an answered write is on disk, even if the database server's default
 * differs. They are not sent with the login, because poolers between server and database refuse that.
 */
const SETTINGS = `
  select set_config('idle_in_transaction_session_timeout', '${IDLE_TRANSACTION_MS}', false),
         set_config('lock_timeout', '${LOCK_MS}', false),
         set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), false),
         current_setting('transaction_read_only') = 'on' as only_reads`

/**
 * A PostgreSQL server, used through a pool of connections. The pool reconnects after an outage.
 * @param url for example `postgres://user:password@host:5432/database`
 * @param isPatient true if statements have no time limit, as for the steps of a migration
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
