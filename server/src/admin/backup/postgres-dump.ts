import { spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { OperatorError } from '../../errors/operator-error.ts'
import { databasePlace, unreachable } from '../../storage/postgres/waiting-pool.ts'
import { type KnownRecording, type RecordingRow, recordingsOnDisk } from './sqlite-snapshot.ts'

/**
 * Dumps a database in its state at one moment.
 * @returns the recordings in the dump
 * @throws OperatorError when `pg_dump` is missing or fails; DatabaseUnreachable
 */
export async function dumpPostgres(url: string, to: string): Promise<KnownRecording[]> {
  const client = await connected(url)
  try {
    // The dump and the list of recordings share the snapshot of this transaction.
    await client.query('begin transaction isolation level repeatable read read only')
    const exported = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot')
    const snapshot = exported.rows[0]?.snapshot ?? ''
    const format = ['--format=custom', '--no-owner', '--no-privileges', `--snapshot=${snapshot}`]
    await runProgram('pg_dump', [...format, `--file=${to}`], url)
    return recordingsOnDisk((await client.query<RecordingRow>('select * from room_recordings')).rows)
  } finally {
    await client.end()
  }
}

/**
 * Whether the database has no tables.
 * @throws DatabaseUnreachable
 */
export async function isEmptyPostgres(url: string): Promise<boolean> {
  const client = await connected(url)
  try {
    const tables = `select 1 from information_schema.tables
      where table_schema not in ('pg_catalog', 'information_schema') limit 1`
    return (await client.query(tables)).rows.length === 0
  } finally {
    await client.end()
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    return client
  } catch (error) {
    throw unreachable(databasePlace(url), error)
  }
}

/**
 * Restores a dump into an empty database, completely or not at all.
 * @throws OperatorError when `pg_restore` is missing or fails
 */
export async function restorePostgres(url: string, from: string): Promise<void> {
  const way = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges']
  await runProgram('pg_restore', [...way, from], url)
}

/** Runs a program with the password in its environment, because every user can read command lines. */
async function runProgram(program: string, args: readonly string[], url: string): Promise<void> {
  const target = new URL(url)
  const password = decodeURIComponent(target.password)
  target.password = ''
  const child = spawn(program, [...args, `--dbname=${target.href}`], {
    env: password ? { ...process.env, PGPASSWORD: password } : process.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  let code: number | null
  try {
    ;[code] = await once(child, 'close')
  } catch (error) {
    throw new OperatorError(
      `${program} was not found. It comes with PostgreSQL's client programs (Debian: postgresql-client).`,
      { cause: error },
    )
  }
  if (code !== 0) throw new OperatorError(`${program} failed: ${said.trim()}`)
}
