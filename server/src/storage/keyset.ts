import { type SelectQueryBuilder, sql } from 'kysely'
import type { ListCursor, ListOrder, ListPage, ListRequest } from './storage.ts'

/** A row that has a place in a list. */
interface Listed {
  id: string
}

/**
 * Reads one page by key: the cost is that of the rows of the page, however deep in the list it lies. Wants an index
 * that ends in (`timeColumn`, `id`) behind the columns the query filters by equality.
 * @param query selects and filters; neither ordered nor limited
 * @param timeColumn the column that orders the list; `id` decides between equals
 */
export async function readPage<DB, TB extends keyof DB, Row extends Listed>(
  query: SelectQueryBuilder<DB, TB, Row>,
  timeColumn: 'created_at' | 'join_time',
  order: ListOrder,
  request: ListRequest,
): Promise<ListPage<Row>> {
  const { cursor, limit } = request
  const backwards = cursor?.direction === 'before'
  // One more than asked for tells whether the list goes on.
  const found = await walk(query, timeColumn, order, backwards, cursor)
    .limit(limit + 1)
    .execute()
  const rows = found.slice(0, limit) as Row[]
  const goesOn = found.length > limit
  if (backwards) {
    rows.reverse()
    // The row that the cursor stands at follows, unless it was deleted since.
    const last = rows.at(-1)
    const hasNext = last !== undefined && (await isPast(query, timeColumn, order, last, 'after'))
    return { rows, hasPrevious: goesOn, hasNext }
  }
  const first = rows[0]
  const hasPrevious =
    cursor !== undefined && first !== undefined && (await isPast(query, timeColumn, order, first, 'before'))
  return { rows, hasPrevious, hasNext: goesOn }
}

/** Rows from the cursor on, nearest first. */
function walk<DB, TB extends keyof DB, Row extends Listed>(
  query: SelectQueryBuilder<DB, TB, Row>,
  timeColumn: string,
  order: ListOrder,
  backwards: boolean,
  cursor: ListCursor | undefined,
) {
  const descending = (order === 'newest-first') !== backwards
  const direction = descending ? 'desc' : 'asc'
  let walked = query
  if (cursor) {
    const comparison = sql.raw((descending ? '<' : '>') + (cursor.inclusive ? '=' : ''))
    const place = sql<boolean>`(${sql.ref(timeColumn)}, ${sql.ref('id')}) ${comparison} (${cursor.at}, ${cursor.id})`
    walked = walked.where(place)
  }
  return walked.orderBy(sql.ref(timeColumn), direction).orderBy(sql.ref('id'), direction)
}

/** Whether the list has a row on that side of this one. */
async function isPast<DB, TB extends keyof DB, Row extends Listed>(
  query: SelectQueryBuilder<DB, TB, Row>,
  timeColumn: 'created_at' | 'join_time',
  order: ListOrder,
  row: Row,
  direction: 'after' | 'before',
): Promise<boolean> {
  const at = Number((row as Row & Record<typeof timeColumn, unknown>)[timeColumn])
  const cursor: ListCursor = { at, id: row.id, direction }
  const next = await walk(query, timeColumn, order, direction === 'before', cursor)
    .limit(1)
    .execute()
  return next.length > 0
}
