import type { ListOrder } from './list-order.ts'

/** A place in a list, between two rows. Lists use keyset pagination, never an offset. */
export interface ListCursor {
  /** What orders the list, of the row next to the place: `created_at` (members: `join_time`), or its name. */
  at: number | string
  /** `id` of that row. It orders rows that are equal otherwise. */
  id: string
  /** `after` continues the list, `before` goes back. */
  direction: 'after' | 'before'
  /** The page includes the row itself. Default: it does not. */
  inclusive?: boolean | undefined
}

export interface ListRequest {
  limit: number
  cursor?: ListCursor | undefined
  /** Default: the list's usual order. Rooms and subscribers can be listed in any order, other lists only in theirs. */
  order?: ListOrder | undefined
}

/** One page, always in the list's own order. */
export interface ListPage<T> {
  rows: T[]
  hasPrevious: boolean
  hasNext: boolean
}
