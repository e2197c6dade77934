import type { Kysely } from 'kysely'

/** Adds the switch that lets people watch over HLS. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['rooms', 'room_sessions']) {
    await db.schema
      .alterTable(table)
      .addColumn('enable_hls', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}
