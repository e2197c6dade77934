import { createSecretKey } from 'node:crypto'
import type { FastifyInstance, FastifyRequest, preValidationAsyncHookHandler } from 'fastify'
import type { TSchema } from 'typebox'
import { type ErrorEntry, Refusal } from '../../errors/refusal.ts'
import type { ListCursor, ListPage, ListRequest } from '../../services.ts'
import {
  filtersAgree,
  listName,
  type PagingNames,
  type QuerySchema,
  type RawQuery,
  sizeOf,
} from './list-query.ts'
import { type PageLinks, pageLinks } from './page-links.ts'
import { type PageToken, readPageToken } from './page-token.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The page token of the request, set after it was verified. */
    pageToken: PageToken | null
    /** Error in the paging parameters of the request. It is reported together with other errors. */
    pagingFault: ErrorEntry | null
  }
}

const USUAL_NAMES: PagingNames = { number: 'page_number', size: 'page_size', token: 'page_token' }

/** Keyset paging with signed tokens, for the lists of this scope of the application. */
export interface Paging {
  /** Whether the operation with this query is a list. */
  isList(query: TSchema | undefined): boolean
  /** Hook before the validation of each list. A page token restores the parameters it was made with. */
  restoreParameters: preValidationAsyncHookHandler
  /** The request to storage. The HTTP request has been validated. */
  listRequest(request: FastifyRequest): ListRequest
  /**
   * The links of a page.
   * @param placeOf what the list is ordered by: a time in Unix milliseconds, or a name
   */
  links<Row extends { id: string }>(
    request: FastifyRequest,
    page: ListPage<Row>,
    placeOf: (row: Row) => ListCursor['at'],
  ): PageLinks
}

/** @param key signs the page tokens */
export function usePaging(app: FastifyInstance, key: Uint8Array, names: PagingNames = USUAL_NAMES): Paging {
  // The key object is made once, because making it from bytes takes longer than signing.
  const signingKey = createSecretKey(key)
  app.decorateRequest('pageToken', null)
  app.decorateRequest('pagingFault', null)
  // This hook runs after the validation, which reports a paging error itself when it has other errors.
  app.addHook('preHandler', (request, _reply, done) => {
    done(request.pagingFault ? new Refusal([request.pagingFault]) : undefined)
  })

  return {
    isList: (query) => names.token in ((query as QuerySchema | undefined)?.properties ?? {}),

    async restoreParameters(request) {
      const query = request.query as RawQuery
      const token = query[names.token]
      if (token === undefined) {
        request.pagingFault = faultWithoutToken(query[names.number], names)
        return
      }
      const known =
        typeof token === 'string' ? readPageToken(signingKey, listName(request), token) : undefined
      if (!known || !filtersAgree(known, request, names)) {
        request.pagingFault = { code: 'page_token_is_invalid', attribute: names.token }
        return
      }
      request.pageToken = known
      request.query = { ...known.parameters, ...query, [names.size]: String(known.size) }
    },

    listRequest: (request) => ({ limit: sizeOf(request, names), cursor: request.pageToken?.cursor }),

    links: (request, page, placeOf) => pageLinks(request, page, placeOf, { key: signingKey, names }),
  }
}

/** Refuses a page number above 0 without a token: only tokens lead to later pages. */
function faultWithoutToken(number: unknown, names: PagingNames): ErrorEntry | null {
  const isFirst = number === undefined || Number(number) === 0
  if (isFirst || !/^\d+$/.test(String(number))) return null
  const message = `A \`${names.number}\` above 0 needs the \`${names.token}\` of a link.`
  return { code: 'page_token_required', attribute: names.token, message }
}
