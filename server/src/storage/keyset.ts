import { type CompiledQuery, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { isByName, isDescending, type ListOrder } from './list-order.ts'
import type { ListCursor, ListPage, ListRequest } from './list-page.ts'
import type { Database } from './tables.ts'

/** What orders a list. */
type Column = 'created_at' | 'join_time' | 'name' | 'reference' | RawBuilder<string>

/** A row that has a place in a list. */
interface Listed {
  id: string
}

/**
 * Reads one page by keyset. Its cost depends only on the rows of the page, not on how deep in the list the page is.
 * Needs an index on the columns that the query filters by equality, followed by (`column`, `id`).
 * @param db where the query runs
 * @param query selects and filters; neither ordered nor limited
 * @param column the column, or an expression of the index, that orders the list; `id` orders rows that are equal there
 */
export async function readPage<DB, TB extends keyof DB, Row extends Listed>(
  db: Database,
  query: SelectQueryBuilder<DB, TB, Row>,
  column: Column,
  order: ListOrder,
  request: ListRequest,
): Promise<ListPage<Row>> {
  const { cursor, limit } = request
  const backwards = cursor?.direction === 'before'
  // One row more than requested shows whether the list continues. Both queries are sent together, so that the caller
  // waits once.
  const walked = walk(query, column, order, cursor)
    .limit(limit + 1)
    .compile()
  const [{ rows: found }, behind] = await Promise.all([
    db.executeQuery(walked),
    cursor && db.executeQuery(queryForRowBehind(walked, () => rowBehind(query, column, order, cursor))),
  ])
  const goesBack = behind !== undefined && behind.rows.length > 0
  const rows = found.slice(0, limit) as Row[]
  const goesOn = found.length > limit
  const isBehind = goesBack && rows.length > 0
  if (backwards) return { rows: rows.reverse(), hasPrevious: goesOn, hasNext: isBehind }
  return { rows, hasPrevious: isBehind, hasNext: goesOn }
}

/** A span of time, in Unix milliseconds. `until` is excluded. */
export interface TimeSpan {
  since?: number | undefined
  until?: number | undefined
}

/**
 * Like {@link readPage}, newest first, for the rows of a span of time. The query has no condition for the span, since a
 * second range would make databases prefer another index: its end is a cursor, and its beginning cuts the page.
 */
export async function readPageWithin<
  DB,
  TB extends keyof DB,
  Row extends Listed & Record<Column, number>,
  Column extends 'created_at' | 'join_time',
>(
  db: Database,
  query: SelectQueryBuilder<DB, TB, Row>,
  column: Column,
  { since = Number.NEGATIVE_INFINITY, until }: TimeSpan,
  request: ListRequest,
): Promise<ListPage<Row>> {
  const begin: ListCursor | undefined =
    until === undefined ? undefined : { at: until, id: '', direction: 'after' }
  const page = await readPage(db, query, column, 'newest-first', {
    ...request,
    cursor: request.cursor ?? begin,
  })
  const rows = page.rows.filter((row) => row[column] >= since && (until === undefined || row[column] < until))
  const [isCutNewer, isCutOlder] = [
    until !== undefined && page.rows.some((row) => row[column] >= until),
    page.rows.some((row) => row[column] < since),
  ]
  return {
    rows,
    hasPrevious: page.hasPrevious && request.cursor !== undefined && !isCutNewer,
    hasNext: page.hasNext && !isCutOlder,
  }
}

/** Selects rows from the cursor on, nearest first. */
function walk<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: Column,
  order: ListOrder,
  cursor: ListCursor | undefined,
) {
  const key = typeof column === 'string' ? sql.ref(column) : column
  const descending = isDescending(order) !== (cursor?.direction === 'before')
  const direction = descending ? 'desc' : 'asc'
  let walked = query
  if (cursor) {
    const comparison = sql.raw((descending ? '<' : '>') + (cursor.inclusive ? '=' : ''))
    const place = sql<boolean>`(${key}, ${sql.ref('id')}) ${comparison} (${cursor.at}, ${cursor.id})`
    walked = walked.where(place)
    // SQLite does not see the bound of an expression in a comparison of rows.
    if (typeof column !== 'string') {
      walked = walked.where(sql<boolean>`${key} ${sql.raw(descending ? '<=' : '>=')} ${cursor.at}`)
    }
  }
  const ordered = walked.orderBy(key, direction)
  // Names are unique within a table. PostgreSQL would sort by id again, since no index has it behind the name.
  return isByName(order) ? ordered : ordered.orderBy(sql.ref('id'), direction)
}

/**
 * Finds one row on the other side of the cursor. The candidates are exactly the rows that a walk from the cursor does
 * not reach.
 */
function rowBehind<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: Column,
  order: ListOrder,
  cursor: ListCursor,
): CompiledQuery {
  const direction = cursor.direction === 'after' ? 'before' : 'after'
  const turned: ListCursor = { ...cursor, direction, inclusive: !cursor.inclusive }
  const nearest = walk(query.clearSelect().select(sql.lit(1).as('one')), column, order, turned)
  return nearest.limit(1).compile()
}

/** Cached query texts. Their number is small and fixed, because callers can vary lists in few ways only. */
const textsForRowBehind = new Map<string, string>()

/**
 * Builds the query of {@link rowBehind}. Building its text takes longer than running it. So the text is cached for
 * each text of the walk, and the parameters are those of the walk except its limit.
 */
function queryForRowBehind(walked: CompiledQuery, build: () => CompiledQuery): CompiledQuery {
  const text = textsForRowBehind.get(walked.sql)
  const parameters = [...walked.parameters.slice(0, -1), 1]
  if (text !== undefined) return { ...walked, sql: text, parameters }
  const built = build()
  const fits = built.parameters.every((parameter, index) => parameter === parameters[index])
  if (fits && built.parameters.length === parameters.length) textsForRowBehind.set(walked.sql, built.sql)
  return built
}
