import type { Kysely } from 'kysely'

/** Adds the switch that draws names onto tiles. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['rooms', 'room_sessions']) {
    await db.schema
      .alterTable(table)
      .addColumn('name_labels', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}
