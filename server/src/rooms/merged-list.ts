import type { ListCursor, ListPage, ListRequest } from '../storage/list-page.ts'

/** A row with a place in a list that is ordered by time. */
interface Timed {
  id: string
  created_at: number
}

/** The order of two rows, as for `Array.sort`. */
type Order<Row> = (one: Row, other: Row) => number

/** Reads a page of one list. */
type ReadList<Row> = (request: ListRequest) => Promise<ListPage<Row>>

/** Like {@link readInOrder}, newest first. */
export const readMerged = <Row extends Timed>(
  lists: readonly ReadList<Row>[],
  request: ListRequest,
): Promise<ListPage<Row>> => readInOrder(lists, newestFirst, request)

/**
 * Reads a page of several lists as if they were one. It reads one page of each list, wherever the page is.
 * @param lists each in this order; no two of them may have rows with the same place
 */
export async function readInOrder<Row>(
  lists: readonly ReadList<Row>[],
  order: Order<Row>,
  request: ListRequest,
): Promise<ListPage<Row>> {
  const { cursor, limit } = request
  const [pages, isBehind] = await Promise.all([
    Promise.all(lists.map((list) => list(request))),
    cursor ? hasRowBehind(lists, cursor) : false,
  ])
  const found = pages.flatMap((page) => page.rows).sort(order)
  const backwards = cursor?.direction === 'before'
  const rows = backwards ? found.slice(-limit) : found.slice(0, limit)
  const goesOn = found.length > limit || pages.some((page) => (backwards ? page.hasPrevious : page.hasNext))
  const goesBack = isBehind && rows.length > 0
  return backwards
    ? { rows, hasPrevious: goesOn, hasNext: goesBack }
    : { rows, hasPrevious: goesBack, hasNext: goesOn }
}

function newestFirst(one: Timed, other: Timed): number {
  return other.created_at - one.created_at || (one.id < other.id ? 1 : -1)
}

/** Whether any list has a row on the other side of the cursor. */
async function hasRowBehind<Row>(lists: readonly ReadList<Row>[], cursor: ListCursor): Promise<boolean> {
  const direction = cursor.direction === 'after' ? 'before' : 'after'
  const turned: ListCursor = { ...cursor, direction, inclusive: !cursor.inclusive }
  const pages = await Promise.all(lists.map((list) => list({ limit: 1, cursor: turned })))
  return pages.some((page) => page.rows.length > 0)
}
