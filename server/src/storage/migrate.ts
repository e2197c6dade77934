import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { OperatorError } from '../errors/operator-error.ts'
import { migrations } from './migrations/index.ts'

/** The database was written by a newer version of the server than this one. */
export class DatabaseTooNew extends OperatorError {
  override readonly name = 'DatabaseTooNew'
}

/**
 * Brings the schema up to date, all steps in one transaction.
 * @throws DatabaseTooNew if the database has steps that this version does not know; nothing is changed
 */
export async function migrate<DB>(
  db: Kysely<DB>,
  steps: Readonly<Record<string, Migration>> = migrations,
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...steps }) } })
  const unknown = (await appliedSteps(db)).filter((name) => !Object.hasOwn(steps, name))
  if (unknown.length > 0) {
    throw new DatabaseTooNew(
      `the database was written by a newer version of Parley (it has the step ${unknown.join(', ')}); start that version, or restore a backup`,
    )
  }
  const { error } = await migrator.migrateToLatest()
  if (error) throw error
}

async function appliedSteps<DB>(db: Kysely<DB>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map((row) => row.name)
}
