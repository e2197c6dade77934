import { Kysely, type TableMetadata } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TemporaryCluster, temporaryCluster } from '../testing/temporary-cluster.ts'
import { migrations } from './migrations/index.ts'
import { postgresDialect } from './postgres/dialect.ts'

/** The last step from before servers of two versions could use one database. */
const LAST_ALONE = '0030-room-search'

let postgres: TemporaryCluster
beforeAll(async () => {
  postgres = await temporaryCluster()
}, 30_000)
afterAll(() => postgres.remove())

it('adds to the schema only what servers of the version before can do without', async () => {
  const db = new Kysely<unknown>({ dialect: postgresDialect(await postgres.createDatabase(), true) })
  const steps = Object.entries(migrations).sort(([one], [other]) => (one < other ? -1 : 1))
  expect(steps.some(([name]) => name > LAST_ALONE)).toBe(true)
  for (const [name, step] of steps) {
    const before = await db.introspection.getTables()
    await step.up(db)
    if (name <= LAST_ALONE) continue
    const after = await db.introspection.getTables()
    expect(
      harms(before, after),
      `step ${name}: see "Rules for steps of the schema" in docs/upgrading.md`,
    ).toEqual([])
  }
  await db.destroy()
})

/** What would stop a server that knows the tables as they were before. */
function harms(before: readonly TableMetadata[], after: readonly TableMetadata[]): string[] {
  return before.flatMap((table) => {
    const now = after.find(({ name }) => name === table.name)
    if (!now) return [`table ${table.name} is gone`]
    const changed = table.columns.flatMap((column) => {
      const place = `${table.name}.${column.name}`
      const left = now.columns.find(({ name }) => name === column.name)
      if (!left) return [`column ${place} is gone`]
      if (left.dataType !== column.dataType) return [`column ${place} has another type`]
      const isStricter = column.isNullable && !left.isNullable
      return isStricter ? [`column ${place} refuses null`] : []
    })
    const known = new Set(table.columns.map(({ name }) => name))
    const added = now.columns
      .filter(({ name, isNullable, hasDefaultValue }) => !known.has(name) && !isNullable && !hasDefaultValue)
      .map(({ name }) => `column ${table.name}.${name} has no default`)
    return [...changed, ...added]
  })
}
