import type { ErrorCode } from './catalogue.ts'

/** What kind of refusal it is; the surface turns it into a status (REST) or a code (client protocol). */
export type ErrorKind =
  | 'malformed'
  /** Well-formed, but something required is absent. */
  | 'incomplete'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'invalid'
  | 'rate_limited'
  | 'internal'
  /** What the server needs, its database or its disk, cannot be used now. */
  | 'unavailable'

/** One refusal in the words of the specification's error catalogue. */
export interface ErrorEntry {
  code: ErrorCode
  /** For the caller: says what to do. Defaults to the catalogue's message. */
  message?: string
  /** The parameter at fault, if one is. */
  attribute?: string | null
}

/** The one error type of the server: everything a caller may see is one of these, the rest is `internal`. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  readonly kind: ErrorKind
  /** At least one; several where several fields are wrong at once. */
  readonly entries: readonly ErrorEntry[]

  constructor(kind: ErrorKind, entries: ErrorEntry | readonly ErrorEntry[], options?: ErrorOptions) {
    const list = Array.isArray(entries) ? entries : [entries as ErrorEntry]
    super(
      list.map((entry) => `${entry.code}${entry.attribute ? ` (${entry.attribute})` : ''}`).join(', '),
      options,
    )
    this.kind = kind
    this.entries = list
  }
}
