import type { FastifyReply, FastifyRequest } from 'fastify'
import type { UserInvitation } from '../../accounts/own-account.ts'
import { PasswordsBusy } from '../../accounts/password-sign-in.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { AccessGrant } from '../../fabric/access-tokens.ts'
import type { ShownInvitation } from '../../rooms/invitations.ts'
import type { ListCursor, ListPage, ListRequest } from '../../services.ts'
import { type Caller, callerOf } from './authentication.ts'
import type { PageLinks } from './page-links.ts'
import type { Paging } from './paging.ts'
import type { Person } from './person-admission.ts'
import { hostFor, originFor } from './public-origin.ts'
import type { RateLimits } from './rate-limits.ts'
import { cookieOf, setSessionCookie } from './session-cookie.ts'
import { isInItsSpace } from './spaces.ts'

/** The answer of a list. */
interface PageAnswer<Item> {
  links: PageLinks
  data: Item[]
}

/** What a request needs besides its input. */
interface RequestParts {
  reply: FastifyReply
  limits: RateLimits
  paging: Paging
  publicUrl: string | null
}

/** A request to an operation, as its handler sees it: authenticated, validated, and with ids in lower case. */
export class ApiRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #limits: RateLimits
  readonly #paging: Paging
  readonly #publicUrl: string | null

  constructor(
    request: FastifyRequest,
    { params, query, body }: { params: Params; query: Query; body: Body },
    { reply, limits, paging, publicUrl }: RequestParts,
  ) {
    this.params = params
    this.query = query
    this.body = body
    this.#request = request
    this.#reply = reply
    this.#limits = limits
    this.#paging = paging
    this.#publicUrl = publicUrl
  }

  get caller(): Caller {
    return callerOf(this.#request)
  }

  /** The user of the request. @throws Refusal `token_invalid` when it came with other credentials */
  get person(): Person {
    const { person } = this.caller
    if (!person) throw new Refusal('token_invalid')
    return person
  }

  /** The secret in the cookie of the session; undefined without one. */
  get sessionSecret(): string | undefined {
    return cookieOf(this.#request)
  }

  /** What the one-time link of the request invites to. @throws Error on routes that take none */
  get signInLink(): UserInvitation {
    const { signInLink } = this.#request
    if (!signInLink) throw new Error('the operation takes one-time links alone')
    return signInLink
  }

  /** What the browser says it is. */
  get userAgent(): string {
    return this.#request.headers['user-agent'] ?? ''
  }

  /** Gives the browser the secret of a session, or takes it away. */
  setSession(secret: string | null): void {
    setSessionCookie(this.#reply, secret)
  }

  /** Whether the credentials of a project work at the host of the request. */
  isAtHome(projectId: string): boolean | Promise<boolean> {
    return isInItsSpace(this.#request, projectId)
  }

  /**
   * Looks up credentials from the body, and counts wrong ones.
   * @param find resolves to undefined for wrong credentials
   * @throws Refusal `token_invalid`, `rate_limit_exceeded`
   */
  async lookUp<T>(credentials: string, find: () => Promise<T | undefined>): Promise<T> {
    const found = await this.tryCredentials(credentials, find)
    if (found === undefined) throw new Refusal('token_invalid')
    return found
  }

  /** Like {@link lookUp}, but resolves to undefined for wrong credentials. */
  tryCredentials<T>(credentials: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    return this.withPasswords(async () => this.#limits.lookUp(this.#request, this.#reply, find, credentials))
  }

  /**
   * Does work with passwords.
   * @throws Refusal `rate_limit_exceeded` when there is too much of it
   */
  async withPasswords<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof PasswordsBusy) return this.#limits.refuseBusy(this.#reply)
      throw error
    }
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
