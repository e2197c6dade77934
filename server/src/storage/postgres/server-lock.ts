import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseUnreachable, databasePlace } from './waiting-pool.ts'

/** Any number that nobody else is likely to take: "parley" in ASCII. */
const LOCK = '123563833845113'
const RETRY_MS = 1000
/** PostgreSQL takes a moment to notice that a server before us was killed. */
const PATIENCE_MS = 3000

/** A database that one server holds for itself until it lets go. */
export interface HeldDatabase {
  release(): Promise<void>
}

/**
 * Takes hold of a database: a second server on it would end the sessions of the first as interrupted. PostgreSQL takes
 * the lock away from a process that dies; after a restart of PostgreSQL it is taken again.
 * @throws DatabaseUnreachable when another server has it
 */
export async function holdDatabase(url: string): Promise<HeldDatabase> {
  let released = false
  let timer: NodeJS.Timeout | undefined
  let client = await connectPatiently(url, () => lost())

  function lost(): void {
    if (released) return
    timer = setTimeout(() => void again(), RETRY_MS)
    timer.unref()
  }

  async function again(): Promise<void> {
    try {
      client = await connect(url, () => lost())
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

async function connectPatiently(url: string, onLost: () => void): Promise<pg.Client> {
  const giveUpAt = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await connect(url, onLost)
    } catch (error) {
      if (!(error instanceof DatabaseUnreachable) || performance.now() > giveUpAt) throw error
      await sleep(RETRY_MS / 4)
    }
  }
}

async function connect(url: string, onLost: () => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    application_name: 'parley, holding the database',
  })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${LOCK}) as taken`)
  if (!rows[0]?.taken) {
    await client.end()
    throw new DatabaseUnreachable(
      `PostgreSQL at ${databasePlace(url)} cannot be used: another server is using it`,
    )
  }
  client.once('end', onLost)
  return client
}
