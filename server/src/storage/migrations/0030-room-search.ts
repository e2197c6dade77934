import { type Kysely, sql } from 'kysely'

/**
 * Adds the indexes by which rooms and conferences are found by how their name or title begins, in small letters. A title
 * that is the name is in the index of names alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [kind, isOfKind] of [
    ['rooms', sql`conference is null`],
    ['conferences', sql`conference is not null`],
  ] as const) {
    for (const [key, column, isIn] of [
      ['name', sql`lower(name)`, isOfKind],
      ['title', sql`lower(display_name)`, sql`${isOfKind} and lower(display_name) <> lower(name)`],
    ] as const) {
      await db.schema
        .createIndex(`${kind}_by_lower_${key}`)
        .on('rooms')
        .columns(['project_id', column, 'id'] as never)
        .where(sql<boolean>`${isIn}`)
        .execute()
    }
  }
}
