import type { FastifyInstance, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import { type ErrorEntry, ParleyError } from '../../errors/parley-error.ts'
import type { ListCursor, ListPage, ListRequest } from '../../storage/storage.ts'
import { callerOf } from './authentication.ts'
import { type PageToken, readPageToken, writePageToken } from './page-token.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The page token of the request, once it was found good. */
    pageToken: PageToken | null
    /** What is wrong with the paging of the request, told together with whatever else is. */
    pagingFault: ErrorEntry | null
  }
}

/** Parameters that say how the rows of a page are shown, not which rows the list has. */
const VIEW_PARAMETERS: ReadonlySet<string> = new Set(['media_ttl', 'include_active_session'])
const PAGING_PARAMETERS: ReadonlySet<string> = new Set(['page_number', 'page_size', 'page_token'])

/** The answer of a list. */
export interface PageAnswer<T> {
  links: { self: string; first: string; next: string | null; prev: string | null }
  data: T[]
}

/** Keyset paging with signed tokens, for the lists of this scope of the application. */
export interface Paging {
  /** Goes in front of the validation of each list: a token brings back the parameters it was made with. */
  restoreParameters: preValidationAsyncHookHandler
  /** What to ask storage for. The request has been validated. */
  listRequest(request: FastifyRequest): ListRequest
  /**
   * The answer of a list.
   * @param show makes the item of the answer from the row
   * @param timeOf the time that the list is ordered by, Unix milliseconds
   */
  answer<Row extends { id: string }, T>(
    request: FastifyRequest,
    page: ListPage<Row>,
    show: (row: Row) => T,
    timeOf: (row: Row) => number,
  ): PageAnswer<T>
}

/** The answer of a list that is so short that it has one page and no parameters. */
export function answerWhole<T>(request: FastifyRequest, data: T[]): PageAnswer<T> {
  const path = request.url.split('?', 1)[0] ?? request.url
  return { links: { self: path, first: path, next: null, prev: null }, data }
}

type RawQuery = Record<string, unknown>

/** @param key signs the page tokens */
export function usePaging(app: FastifyInstance, key: Uint8Array): Paging {
  app.decorateRequest('pageToken', null)
  app.decorateRequest('pagingFault', null)
  // Behind the validation, which tells of a fault itself when it has more to tell.
  app.addHook('preHandler', async (request) => {
    if (request.pagingFault) throw new ParleyError('invalid', request.pagingFault)
  })

  return {
    async restoreParameters(request) {
      const query = request.query as RawQuery
      const token = query.page_token
      if (token === undefined) {
        const isFirst = query.page_number === undefined || Number(query.page_number) === 0
        if (!isFirst && /^\d+$/.test(String(query.page_number))) {
          request.pagingFault = { code: 'page_token_required', attribute: 'page_token' }
        }
        return
      }
      const known = typeof token === 'string' ? readPageToken(key, listName(request), token) : undefined
      if (!known || !agrees(known, request)) {
        request.pagingFault = { code: 'page_token_is_invalid', attribute: 'page_token' }
        return
      }
      request.pageToken = known
      request.query = { ...known.parameters, ...query, page_size: String(known.size) }
    },

    listRequest(request) {
      const { page_size: limit } = request.query as { page_size: number }
      return { limit, cursor: request.pageToken?.cursor }
    },

    answer(request, page, show, timeOf) {
      const { page_size: size } = request.query as { page_size: number }
      const number = request.pageToken?.number ?? 0
      const parameters = listParameters(request)
      const path = request.url.split('?', 1)[0] ?? request.url
      const link = (to: number, cursor?: ListCursor) => {
        const query = new URLSearchParams(parameters)
        query.set('page_number', String(to))
        query.set('page_size', String(size))
        if (cursor) {
          query.set(
            'page_token',
            writePageToken(key, listName(request), { number: to, size, parameters, cursor }),
          )
        }
        return `${path}?${query}`
      }
      const beside = (row: Row | undefined, direction: ListCursor['direction']): ListCursor | undefined =>
        row && { at: timeOf(row), id: row.id, direction }
      type Row = (typeof page.rows)[number]

      const links = { self: link(number, request.pageToken?.cursor), first: link(0), ...neighbours() }
      return { links, data: page.rows.map(show) }

      function neighbours(): { next: string | null; prev: string | null } {
        const { rows } = page
        if (rows.length === 0) return neighboursOfNothing(request.pageToken)
        return {
          next: page.hasNext ? link(number + 1, beside(rows.at(-1), 'after')) : null,
          prev: page.hasPrevious ? link(Math.max(0, number - 1), beside(rows[0], 'before')) : null,
        }
      }

      /** All rows of this page were deleted after its link was made. */
      function neighboursOfNothing(token: PageToken | null): { next: string | null; prev: string | null } {
        if (!token) return { next: null, prev: null }
        if (token.cursor.direction === 'before') return { next: link(0), prev: null }
        const cursor: ListCursor = { ...token.cursor, direction: 'before', inclusive: true }
        return { next: null, prev: link(Math.max(0, number - 1), cursor) }
      }
    },
  }
}

/** The list that a request walks: whose, and which. */
function listName(request: FastifyRequest): string {
  return `${callerOf(request).projectId} ${request.url.split('?', 1)[0]}`
}

/** Names of the parameters that the list itself has. Others mean nothing, here as elsewhere. */
function parameterNames(request: FastifyRequest): string[] {
  const { querystring } = (request.routeOptions.schema ?? {}) as {
    querystring?: { properties: Record<string, unknown> }
  }
  return Object.keys(querystring?.properties ?? {}).filter((name) => !PAGING_PARAMETERS.has(name))
}

/** A filter that differs from that of the token would make another list. */
function agrees(token: PageToken, request: FastifyRequest): boolean {
  const query = request.query as RawQuery
  const filters = parameterNames(request).filter((name) => !VIEW_PARAMETERS.has(name))
  return filters.every((name) => query[name] === undefined || query[name] === token.parameters[name])
}

/** The parameters of the list as the caller wrote them, and no others. */
function listParameters(request: FastifyRequest): Record<string, string> {
  const given = new URLSearchParams(request.url.split('?').slice(1).join('?'))
  const parameters: Record<string, string> = {}
  for (const name of parameterNames(request)) {
    const value = given.get(name) ?? request.pageToken?.parameters[name]
    if (value !== undefined) parameters[name] = value
  }
  return parameters
}
