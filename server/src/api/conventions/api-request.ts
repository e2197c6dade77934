import type { FastifyRequest } from 'fastify'
import type { AccessGrant } from '../../fabric/access-tokens.ts'
import type { ShownInvitation } from '../../rooms/invitations.ts'
import type { ListCursor, ListPage, ListRequest } from '../../services.ts'
import { type Caller, callerOf } from './authentication.ts'
import type { PageLinks } from './page-links.ts'
import type { Paging } from './paging.ts'
import { hostFor, originFor } from './public-origin.ts'

/** The answer of a list. */
interface PageAnswer<Item> {
  links: PageLinks
  data: Item[]
}

/** A request to an operation, as its handler sees it: authenticated, validated, and with ids in lower case. */
export class ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly caller: Caller
  readonly #request: FastifyRequest
  readonly #paging: Paging
  readonly #publicUrl: string | null

  constructor(
    request: FastifyRequest,
    { params, query, body }: { params: Params; query: Query; body: Body },
    { paging, publicUrl }: { paging: Paging; publicUrl: string | null },
  ) {
    this.params = params
    this.query = query
    this.body = body
    this.caller = callerOf(request)
    this.#request = request
    this.#paging = paging
    this.#publicUrl = publicUrl
  }

  /** The project that the caller belongs to. */
  get projectId(): string {
    return this.caller.projectId
  }

  /** Grant of an end user's token; null when the request came with an API token. */
  get grant(): AccessGrant | null {
    return this.#request.grant
  }

  /** What the conference token of the request invites to; null when it came with other credentials. */
  get invitation(): ShownInvitation | null {
    return this.#request.invitation
  }

  /** URL where the caller reaches this server, such as `https://meet.example.org`. */
  get origin(): string {
    return originFor(this.#publicUrl, this.#request)
  }

  /** Like {@link origin}, without `https://`. */
  get host(): string {
    return hostFor(this.#publicUrl, this.#request)
  }

  /** The rows of a list that the caller asks for. */
  get listRequest(): ListRequest {
    return this.#paging.listRequest(this.#request)
  }

  /** Number of the requested page, from 0. */
  get pageNumber(): number {
    return this.#request.pageToken?.number ?? 0
  }

  /** The links of a page, for lists whose answers have their own format. */
  pageLinks<Row extends { id: string }>(
    page: ListPage<Row>,
    placeOf: (row: Row) => ListCursor['at'],
  ): PageLinks {
    return this.#paging.links(this.#request, page, placeOf)
  }

  /**
   * The answer of a list.
   * @param show makes the item of the answer from the row
   * @param placeOf what the list is ordered by: a time in Unix milliseconds, or a name
   */
  answerPage<Row extends { id: string }, Item>(
    page: ListPage<Row>,
    show: (row: Row) => Item,
    placeOf: (row: Row) => ListCursor['at'],
  ): PageAnswer<Item> {
    return { links: this.pageLinks(page, placeOf), data: page.rows.map(show) }
  }
}
