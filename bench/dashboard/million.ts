/** A project of a million things, and how long its lists take. */
import { sql } from 'kysely'
import { HOUR_MS } from '../../server/src/dashboard/hours.ts'
import { migrate } from '../../server/src/storage/migrate.ts'
import { openDatabase, openStorage } from '../../server/src/storage/open-storage.ts'
import type { Storage } from '../../server/src/storage/storage.ts'
import type { Database } from '../../server/src/storage/tables.ts'
import { median } from '../median.ts'
import { report } from '../report.ts'

const COUNT = 1_000_000
const TRIES = 40

export const DAY_MS = 24 * HOUR_MS
/** The project that has a million. */
export const PROJECT = 'measured'
/** The project whose only row {@link multiply} copies. */
export const TEMPLATE = 'template'
export const NOW = Date.now()
/** SQL for when number `n` began: they are spread over thirty days, the newest first. */
export const BEGUN_AT = `${NOW} - cast(n as bigint) * ${Math.floor((30 * DAY_MS) / COUNT)}`

/** Opens an empty database once it is filled. */
export async function openFilled(
  kind: string,
  location: string,
  fill: (db: Database) => Promise<void>,
): Promise<Storage> {
  const db = await openDatabase(location)
  await migrate(db)
  await fill(db)
  await sql.raw(kind === 'SQLite' ? 'analyze' : 'vacuum analyze').execute(db)
  await db.destroy()
  return openStorage(location)
}

/**
 * Copies the row of the template a million times.
 * @param changed SQL for the columns that differ, in which `n` is the number of the copy
 */
export async function multiply(
  db: Database,
  table: 'room_sessions' | 'room_members' | 'room_recordings',
  changed: Record<string, string>,
): Promise<void> {
  const [row] = await db.selectFrom(table).selectAll().limit(1).execute()
  const names = Object.keys(row ?? {})
  const values = names.map((name) => changed[name] ?? `t.${name}`)
  await sql
    .raw(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${COUNT})
       insert into ${table} (${names.join(', ')})
       select ${values.join(', ')} from numbers, (select * from ${table} where project_id = '${TEMPLATE}') as t`,
    )
    .execute(db)
}

/** Reads each list many times, and reports the slowest. */
export async function measureLists(
  kind: string,
  things: string,
  lists: readonly [string, () => Promise<unknown>][],
): Promise<void> {
  let worst = 0
  for (const [what, read] of lists) {
    const times: number[] = []
    for (let count = 0; count < TRIES; count++) times.push(await elapsedMs(read))
    console.log(
      `${kind}, ${what}: ${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms`,
    )
    worst = Math.max(worst, median(times))
  }
  report({
    what: `${kind}, slowest list of 1,000,000 ${things}`,
    value: worst,
    unit: 'ms',
    limit: 100,
    direction: 'at most',
  })
}

/** How long some work takes. */
export async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
