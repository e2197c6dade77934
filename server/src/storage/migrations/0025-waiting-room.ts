import type { Kysely } from 'kysely'

/** Adds the waiting room as a setting of rooms and conferences. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['rooms', 'room_sessions']) {
    await db.schema
      .alterTable(table)
      .addColumn('waiting_room', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}
