import { type Kysely, PostgresAdapter, type RawBuilder, sql } from 'kysely'

/**
 * The type of text columns. PostgreSQL would compare them by the rules of some language, which change with the
 * operating system's next version and spoil indexes; SQLite compares bytes, and so shall both.
 */
export function textType(db: Kysely<unknown>): RawBuilder<unknown> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter
  return isPostgres ? sql`text collate "C"` : sql`text`
}
