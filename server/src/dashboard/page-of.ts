import type { ListPage, ListRequest } from '../storage/list-page.ts'

/** A row that has a place in a list. */
interface Listed {
  id: string
  created_at: number
}

/** One page of rows that are in memory, newest first, as storage reads pages of its tables. */
export function pageOf<Row extends Listed>(
  all: readonly Row[],
  { cursor, limit }: ListRequest,
): ListPage<Row> {
  const sorted = all.toSorted((one, other) => compare(other, one))
  if (!cursor) return { rows: sorted.slice(0, limit), hasPrevious: false, hasNext: sorted.length > limit }
  const place = { id: cursor.id, created_at: Number(cursor.at) }
  const isReached = (row: Row) => {
    const order = compare(place, row)
    if (order === 0) return cursor.inclusive === true
    return cursor.direction === 'after' ? order > 0 : order < 0
  }
  const reached = sorted.filter(isReached)
  const isBehind = reached.length < sorted.length && reached.length > 0
  const goesOn = reached.length > limit
  return cursor.direction === 'after'
    ? { rows: reached.slice(0, limit), hasPrevious: isBehind, hasNext: goesOn }
    : { rows: reached.slice(-limit), hasPrevious: goesOn, hasNext: isBehind }
}

function compare(one: Listed, other: Listed): number {
  if (one.created_at !== other.created_at) return one.created_at - other.created_at
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0
}
