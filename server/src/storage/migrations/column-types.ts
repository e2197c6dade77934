import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * The type of text columns. SQLite compares bytes, and PostgreSQL must do the same. By default PostgreSQL compares by
 * the rules of a language. These rules change with new versions of the operating system, which breaks indexes.
 */
export function textType(db: Kysely<unknown>): RawBuilder<unknown> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  return isPostgres ? sql`text collate "C"` : sql`text`
}
