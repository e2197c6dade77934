import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseUnreachable, databasePlace } from './waiting-pool.ts'

/** An arbitrary number that nobody else is likely to use: "parley" in ASCII. */
const LOCK = '123563833845113'
const RETRY_MS = 1000
/** How long a connection and an answer may take. */
const ANSWER_MS = 5000
/** How often to look whether the connection still leads to PostgreSQL. A cut network tells nothing. */
const LOOK_MS = 15_000
/** How long to wait for the lock. PostgreSQL notices only after a moment that a previous server was killed. */
const PATIENCE_MS = 3000

/** How a server uses a database. */
type DatabaseUse = 'alone' | 'with-others'

/** A database that is locked until `release`. */
export interface HeldDatabase {
  release(): Promise<void>
}

/**
 * Locks a database. Without the lock, a second server on it would mark the sessions of the first as interrupted.
 * PostgreSQL releases the lock when the process dies. After a restart of PostgreSQL, the lock is taken again.
 * @param use `alone` keeps all other servers out; `with-others` only those that use the database alone, for the nodes of
 * a cluster
 * @throws DatabaseUnreachable when another server has it
 */
export async function holdDatabase(url: string, use: DatabaseUse = 'alone'): Promise<HeldDatabase> {
  let released = false
  let timer: NodeJS.Timeout | undefined
  let client = await connectPatiently(url, use, () => lost())

  function lost(): void {
    if (released) return
    timer = setTimeout(() => void again(), RETRY_MS)
    timer.unref()
  }

  async function again(): Promise<void> {
    try {
      client = await connect(url, use, () => lost())
      if (released) await client.end()
    } catch {
      lost()
    }
  }

  return {
    async release() {
      released = true
      clearTimeout(timer)
      await client.end().catch(() => {})
    },
  }
}

async function connectPatiently(url: string, use: DatabaseUse, onLost: () => void): Promise<pg.Client> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await connect(url, use, onLost)
    } catch (error) {
      if (!(error instanceof DatabaseUnreachable) || performance.now() > giveUpAt) throw error
      await sleep(RETRY_MS / 4)
    }
  }
}

async function connect(url: string, use: DatabaseUse, onLost: () => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    keepAlive: true,
    application_name: 'parley, holding the database',
  })
  client.on('error', () => {})
  await client.connect()
  if (!(await takesLock(client, use))) {
    await client.end()
    throw new DatabaseUnreachable(
      `PostgreSQL at ${databasePlace(url)} cannot be used: another server is using it${use === 'alone' ? '' : ' alone: give all of them PARLEY_NATS_URL'}`,
    )
  }
  const look = setInterval(() => client.query('select 1').catch(() => cut(client)), LOOK_MS)
  look.unref()
  client.once('end', () => {
    clearInterval(look)
    onLost()
  })
  return client
}

/** Ends the connection if there is no answer. */
async function takesLock(client: pg.Client, use: DatabaseUse): Promise<boolean> {
  const lock = use === 'alone' ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
  try {
    const { rows } = await client.query<{ taken: boolean }>(`select ${lock}(${LOCK}) as taken`)
    return rows[0]?.taken === true
  } catch (error) {
    cut(client)
    throw error
  }
}

/** Closes a connection whose other end may be unreachable, without a farewell that would wait for it. */
function cut(client: pg.Client): void {
  client.connection.stream.destroy()
}
