import type { ListCursor, ListPage, ListRequest } from '../storage/storage.ts'

/** A row with a place in a list. */
interface Listed {
  id: string
  created_at: number
}

/** Reads a page of one list, newest first. */
type ReadList<Row> = (request: ListRequest) => Promise<ListPage<Row>>

/**
 * Reads a page of several lists as if they were one, newest first. It reads one page of each list, wherever the page
 * is.
 * @param lists no two of them may have rows with the same id
 */
export async function readMerged<Row extends Listed>(
  lists: readonly ReadList<Row>[],
  request: ListRequest,
): Promise<ListPage<Row>> {
  const { cursor, limit } = request
  const [pages, isBehind] = await Promise.all([
    Promise.all(lists.map((list) => list(request))),
    cursor ? hasRowBehind(lists, cursor) : false,
  ])
  const found = pages.flatMap((page) => page.rows).sort(newestFirst)
  const backwards = cursor?.direction === 'before'
  const rows = backwards ? found.slice(-limit) : found.slice(0, limit)
  const goesOn = found.length > limit || pages.some((page) => (backwards ? page.hasPrevious : page.hasNext))
  const goesBack = isBehind && rows.length > 0
  return backwards
    ? { rows, hasPrevious: goesOn, hasNext: goesBack }
    : { rows, hasPrevious: goesBack, hasNext: goesOn }
}

function newestFirst(one: Listed, other: Listed): number {
  return other.created_at - one.created_at || (one.id < other.id ? 1 : -1)
}

/** Whether any list has a row on the other side of the cursor. */
async function hasRowBehind<Row>(lists: readonly ReadList<Row>[], cursor: ListCursor): Promise<boolean> {
  const direction = cursor.direction === 'after' ? 'before' : 'after'
  const turned: ListCursor = { ...cursor, direction, inclusive: !cursor.inclusive }
  const pages = await Promise.all(lists.map((list) => list({ limit: 1, cursor: turned })))
  return pages.some((page) => page.rows.length > 0)
}
