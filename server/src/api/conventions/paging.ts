import { createSecretKey } from 'node:crypto'
import type { FastifyInstance, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import type { TSchema } from 'typebox'
import { type ErrorEntry, ParleyError } from '../../errors/parley-error.ts'
import type { ListCursor, ListPage, ListRequest } from '../../services.ts'
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

/** How a family of the interface calls the parameters of paging. */
export interface PagingNames {
  number: string
  size: string
  token: string
}

const USUAL_NAMES: PagingNames = { number: 'page_number', size: 'page_size', token: 'page_token' }

/** Paths of a page and of those around it. */
export interface PageLinks {
  self: string
  first: string
  next: string | null
  prev: string | null
}

/** The answer of a list. */
export interface PageAnswer<T> {
  links: PageLinks
  data: T[]
}

/** Keyset paging with signed tokens, for the lists of this scope of the application. */
export interface Paging {
  /** Whether the operation with this query is a list. */
  isList(query: TSchema | undefined): boolean
  /** Goes in front of the validation of each list: a token brings back the parameters it was made with. */
  restoreParameters: preValidationAsyncHookHandler
  /** What to ask storage for. The request has been validated. */
  listRequest(request: FastifyRequest): ListRequest
  /**
   * The links of a page, for lists whose answers have a shape of their own.
   * @param timeOf the time that the list is ordered by, Unix milliseconds
   */
  links<Row extends { id: string }>(
    request: FastifyRequest,
    page: ListPage<Row>,
    timeOf: (row: Row) => number,
  ): PageLinks
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

type RawQuery = Record<string, unknown>

interface QuerySchema {
  properties?: Record<string, unknown>
}

/** @param key signs the page tokens */
export function usePaging(app: FastifyInstance, key: Uint8Array, names: PagingNames = USUAL_NAMES): Paging {
  // Prepared once: signing takes less time than making its key out of bytes.
  const signingKey = createSecretKey(key)
  app.decorateRequest('pageToken', null)
  app.decorateRequest('pagingFault', null)
  // Behind the validation, which tells of a fault itself when it has more to tell.
  app.addHook('preHandler', (request, _reply, done) => {
    done(request.pagingFault ? new ParleyError('invalid', request.pagingFault) : undefined)
  })

  const sizeOf = (request: FastifyRequest) => (request.query as Record<string, number>)[names.size] ?? 0

  function links<Row extends { id: string }>(
    request: FastifyRequest,
    page: ListPage<Row>,
    timeOf: (row: Row) => number,
  ): PageLinks {
    const size = sizeOf(request)
    const number = request.pageToken?.number ?? 0
    const parameters = listParameters(request, names)
    const path = request.url.split('?', 1)[0] ?? request.url
    const givenToken = request.pageToken ? String((request.query as RawQuery)[names.token]) : undefined
    const list = listName(request)
    const filters = String(new URLSearchParams(parameters))
    // Numbers and tokens need no escapes.
    const linkWith = (to: number, token?: string) =>
      `${path}?${filters}${filters && '&'}${names.number}=${to}&${names.size}=${size}${token === undefined ? '' : `&${names.token}=${token}`}`
    const link = (to: number, cursor?: ListCursor) =>
      linkWith(to, cursor && writePageToken(signingKey, list, { number: to, size, parameters, cursor }))
    const beside = (row: Row | undefined, direction: ListCursor['direction']): ListCursor | undefined =>
      row && { at: timeOf(row), id: row.id, direction }

    return { self: linkWith(number, givenToken), first: link(0), ...neighbours() }

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
  }

  return {
    isList: (query) => names.token in ((query as QuerySchema | undefined)?.properties ?? {}),

    async restoreParameters(request) {
      const query = request.query as RawQuery
      const token = query[names.token]
      const number = query[names.number]
      if (token === undefined) {
        const isFirst = number === undefined || Number(number) === 0
        if (!isFirst && /^\d+$/.test(String(number))) {
          const message = `A \`${names.number}\` above 0 needs the \`${names.token}\` of a link.`
          request.pagingFault = { code: 'page_token_required', attribute: names.token, message }
        }
        return
      }
      const known =
        typeof token === 'string' ? readPageToken(signingKey, listName(request), token) : undefined
      if (!known || !agrees(known, request, names)) {
        request.pagingFault = { code: 'page_token_is_invalid', attribute: names.token }
        return
      }
      request.pageToken = known
      request.query = { ...known.parameters, ...query, [names.size]: String(known.size) }
    },

    listRequest: (request) => ({ limit: sizeOf(request), cursor: request.pageToken?.cursor }),

    links,

    answer: (request, page, show, timeOf) => ({
      links: links(request, page, timeOf),
      data: page.rows.map(show),
    }),
  }
}

/** The list that a request walks: whose, and which. */
function listName(request: FastifyRequest): string {
  return `${callerOf(request).projectId} ${request.url.split('?', 1)[0]}`
}

/** Names of the parameters that the list itself has. Others mean nothing, here as elsewhere. */
function parameterNames(request: FastifyRequest, { number, size, token }: PagingNames): string[] {
  const querystring = request.routeOptions.schema?.querystring as QuerySchema | undefined
  const ofPaging = [number, size, token]
  return Object.keys(querystring?.properties ?? {}).filter((name) => !ofPaging.includes(name))
}

/** A filter that differs from that of the token would make another list. */
function agrees(token: PageToken, request: FastifyRequest, names: PagingNames): boolean {
  const query = request.query as RawQuery
  const filters = parameterNames(request, names).filter((name) => !VIEW_PARAMETERS.has(name))
  return filters.every((name) => query[name] === undefined || query[name] === token.parameters[name])
}

/** The parameters of the list as the caller wrote them, and no others. */
function listParameters(request: FastifyRequest, names: PagingNames): Record<string, string> {
  const given = new URLSearchParams(request.url.split('?').slice(1).join('?'))
  const parameters: Record<string, string> = {}
  for (const name of parameterNames(request, names)) {
    const value = given.get(name) ?? request.pageToken?.parameters[name]
    if (value !== undefined) parameters[name] = value
  }
  return parameters
}
