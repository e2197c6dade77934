import type { KeyObject } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { ListCursor, ListPage } from '../../services.ts'
import { listName, listParameters, type PagingNames, pathOf, type RawQuery, sizeOf } from './list-query.ts'
import { type PageToken, writePageToken } from './page-token.ts'

/** Paths of a page and of its neighbours. */
export interface PageLinks {
  self: string
  first: string
  next: string | null
  prev: string | null
}

type Neighbours = Pick<PageLinks, 'next' | 'prev'>

/** Writes the path of another page of the same list. Without a cursor, it is the first page. */
type WriteLink = (to: number, cursor?: ListCursor) => string

/**
 * The links of a page.
 * @param placeOf what the list is ordered by: a time in Unix milliseconds, or a name
 * @param options.key signs the page tokens
 */
export function pageLinks<Row extends { id: string }>(
  request: FastifyRequest,
  page: ListPage<Row>,
  placeOf: (row: Row) => ListCursor['at'],
  { key, names }: { key: KeyObject; names: PagingNames },
): PageLinks {
  const size = sizeOf(request, names)
  const number = request.pageToken?.number ?? 0
  const parameters = listParameters(request, names)
  const list = listName(request)
  const filters = String(new URLSearchParams(parameters))
  const start = `${pathOf(request)}?${filters}${filters && '&'}`
  // Numbers and tokens need no escaping.
  const linkWith = (to: number, token?: string) =>
    `${start}${names.number}=${to}&${names.size}=${size}${token === undefined ? '' : `&${names.token}=${token}`}`
  const link: WriteLink = (to, cursor) =>
    linkWith(to, cursor && writePageToken(key, list, { number: to, size, parameters, cursor }))
  const givenToken = request.pageToken ? String((request.query as RawQuery)[names.token]) : undefined
  const neighbours =
    page.rows.length === 0
      ? neighboursOfNothing(request.pageToken, link)
      : neighboursOf(page, placeOf, number, link)
  return { self: linkWith(number, givenToken), first: link(0), ...neighbours }
}

function neighboursOf<Row extends { id: string }>(
  { rows, hasNext, hasPrevious }: ListPage<Row>,
  placeOf: (row: Row) => ListCursor['at'],
  number: number,
  link: WriteLink,
): Neighbours {
  const beside = (row: Row | undefined, direction: ListCursor['direction']): ListCursor | undefined =>
    row && { at: placeOf(row), id: row.id, direction }
  return {
    next: hasNext ? link(number + 1, beside(rows.at(-1), 'after')) : null,
    prev: hasPrevious ? link(Math.max(0, number - 1), beside(rows[0], 'before')) : null,
  }
}

/** Links of an empty page: all of its rows were deleted after its link was made. */
function neighboursOfNothing(token: PageToken | null, link: WriteLink): Neighbours {
  if (!token) return { next: null, prev: null }
  if (token.cursor.direction === 'before') return { next: link(0), prev: null }
  const cursor: ListCursor = { ...token.cursor, direction: 'before', inclusive: true }
  return { next: null, prev: link(Math.max(0, token.number - 1), cursor) }
}
