import { existsSync, statSync } from 'node:fs'
import SqliteDatabase from 'better-sqlite3'
import pg from 'pg'
import { databaseFile, RESTORING } from '../../storage/data-folder.ts'
import { migrations } from '../../storage/migrations/index.ts'
import { databasePlace } from '../../storage/postgres/waiting-pool.ts'
import { type Examination, type Finding, failed, ok, type Patient, warning } from './finding.ts'

const SUBJECT = 'Database'
/** Larger databases take too long to read completely. */
const CHECKED_UP_TO_BYTES = 1e9
const OLDEST_POSTGRES = 130_000
const CONNECT_MS = 5000
const CLOCK_TOLERANCE_MS = 2000

/** Examines the database: whether it can be used, is intact, and fits this version. */
export const database: Examination = {
  subject: SUBJECT,
  async examine({ config, clock }: Patient) {
    if (config.databaseUrl !== null) return postgres(config.databaseUrl, () => clock.now())
    const file = databaseFile(config.dataDir)
    if (existsSync(`${config.dataDir}/${RESTORING}`)) {
      return [failed(SUBJECT, 'a restore did not come to its end', 'Empty the data folder and restore anew.')]
    }
    return [existsSync(file) ? embedded(file) : ok(SUBJECT, 'SQLite, made at the first start')]
  },
}

function embedded(file: string): Finding {
  const bytes = statSync(file).size
  const connection = new SqliteDatabase(file, { readonly: true, fileMustExist: true })
  try {
    const verdict =
      bytes <= CHECKED_UP_TO_BYTES ? connection.pragma('quick_check(1)', { simple: true }) : 'ok'
    if (verdict !== 'ok') return failed(SUBJECT, `${file} is damaged: ${verdict}`, 'Restore a backup.')
    const steps = connection.prepare('select name from kysely_migration').pluck().all() as string[]
    const sound = bytes <= CHECKED_UP_TO_BYTES ? 'sound' : 'too large to look through'
    return version(steps, `SQLite, ${(bytes / 1e6).toFixed(1)} MB, ${sound}`)
  } finally {
    connection.close()
  }
}

function version(steps: readonly string[], detail: string): Finding {
  const unknown = steps.filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) {
    return failed(
      SUBJECT,
      'was written by a newer version of Parley',
      'Start that version, or restore a backup.',
    )
  }
  const missing = Object.keys(migrations).length - steps.length
  return ok(
    SUBJECT,
    missing > 0 ? `${detail}; ${missing} steps to the present schema at the next start` : detail,
  )
}

async function postgres(url: string, now: () => number): Promise<Finding[]> {
  const place = databasePlace(url)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    const from = performance.now()
    const { rows } = await client.query<{
      version: string
      text: string
      now: Date
      may: boolean
      has: boolean
    }>(`
      select current_setting('server_version_num') as version, current_setting('server_version') as text,
             clock_timestamp() as now, has_schema_privilege(current_schema(), 'create') as may,
             to_regclass('kysely_migration') is not null as has`)
    const tookMs = performance.now() - from
    const [row] = rows
    if (!row) throw new Error('it does not answer')
    if (Number(row.version) < OLDEST_POSTGRES) {
      return [failed(SUBJECT, `PostgreSQL ${row.text} at ${place}`, 'Use PostgreSQL 13 or newer.')]
    }
    if (!row.may) return [failed(SUBJECT, `${place}: we may not create tables`, 'Make the user its owner.')]
    const steps = row.has
      ? (await client.query<{ name: string }>('select name from kysely_migration')).rows
      : []
    const detail = `PostgreSQL ${row.text} at ${place}, answers in ${tookMs.toFixed(1)} ms`
    return [
      version(
        steps.map(({ name }) => name),
        detail,
      ),
      clocksAgree(row.now.getTime() - now()),
    ]
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [failed(SUBJECT, `PostgreSQL at ${place}: ${reason}`, 'Start it, or correct PARLEY_DATABASE_URL.')]
  } finally {
    await client.end().catch(() => {})
  }
}

function clocksAgree(differenceMs: number): Finding {
  const detail = `${Math.round(Math.abs(differenceMs))} ms apart from ours`
  if (Math.abs(differenceMs) <= CLOCK_TOLERANCE_MS) return ok('Its clock', detail)
  return warning('Its clock', detail, 'Let both machines keep their time by NTP.')
}
