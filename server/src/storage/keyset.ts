import { type CompiledQuery, type SelectQueryBuilder, sql } from 'kysely'
import type { ListCursor, ListOrder, ListPage, ListRequest } from './storage.ts'
import type { Database } from './tables.ts'

/** A row that has a place in a list. */
interface Listed {
  id: string
}

/**
 * Reads one page by key: the cost is that of the rows of the page, however deep in the list it lies. Wants an index
 * that ends in (`timeColumn`, `id`) behind the columns the query filters by equality.
 * @param db where the query is run
 * @param query selects and filters; neither ordered nor limited
 * @param timeColumn the column that orders the list; `id` decides between equals
 */
export async function readPage<DB, TB extends keyof DB, Row extends Listed>(
  db: Database,
  query: SelectQueryBuilder<DB, TB, Row>,
  timeColumn: 'created_at' | 'join_time',
  order: ListOrder,
  request: ListRequest,
): Promise<ListPage<Row>> {
  const { cursor, limit } = request
  const backwards = cursor?.direction === 'before'
  // One more than asked for tells whether the list goes on. Both queries go out together, to wait once.
  const walked = walk(query, timeColumn, order, cursor)
    .limit(limit + 1)
    .compile()
  const [{ rows: found }, behind] = await Promise.all([
    db.executeQuery(walked),
    cursor && db.executeQuery(queryForRowBehind(walked, () => rowBehind(query, timeColumn, order, cursor))),
  ])
  const goesBack = behind !== undefined && behind.rows.length > 0
  const rows = found.slice(0, limit) as Row[]
  const goesOn = found.length > limit
  const isBehind = goesBack && rows.length > 0
  if (backwards) return { rows: rows.reverse(), hasPrevious: goesOn, hasNext: isBehind }
  return { rows, hasPrevious: isBehind, hasNext: goesOn }
}

/** Rows from the cursor on, nearest first. */
function walk<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  timeColumn: string,
  order: ListOrder,
  cursor: ListCursor | undefined,
) {
  const descending = (order === 'newest-first') !== (cursor?.direction === 'before')
  const direction = descending ? 'desc' : 'asc'
  let walked = query
  if (cursor) {
    const comparison = sql.raw((descending ? '<' : '>') + (cursor.inclusive ? '=' : ''))
    const place = sql<boolean>`(${sql.ref(timeColumn)}, ${sql.ref('id')}) ${comparison} (${cursor.at}, ${cursor.id})`
    walked = walked.where(place)
  }
  return walked.orderBy(sql.ref(timeColumn), direction).orderBy(sql.ref('id'), direction)
}

/** Finds a row on the other side of the cursor: one of exactly those that a walk from it does not meet. */
function rowBehind<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  timeColumn: string,
  order: ListOrder,
  cursor: ListCursor,
): CompiledQuery {
  const direction = cursor.direction === 'after' ? 'before' : 'after'
  const turned: ListCursor = { ...cursor, direction, inclusive: !cursor.inclusive }
  const nearest = walk(query.clearSelect().select(sql.lit(1).as('one')), timeColumn, order, turned)
  return nearest.limit(1).compile()
}

/** Lists differ in few ways, which their callers cannot add to. */
const textsForRowBehind = new Map<string, string>()

/**
 * The query of {@link rowBehind}. It takes the parameters of the walk up to the number of rows, so that its text, which
 * takes longer to build than it takes to run, is that of the last walk with the same text.
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
