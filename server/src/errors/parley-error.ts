import type { ErrorCode } from './catalogue.ts'

/** Kind of a refusal. The interface maps it to a status (REST) or a code (client protocol). */
export type ErrorKind =
  | 'malformed'
  /** The request is well-formed, but something required is absent. */
  | 'incomplete'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'invalid'
  | 'rate_limited'
  | 'internal'
  /** The database or the disk cannot be used now. */
  | 'unavailable'

/** One error, from the specification's error catalogue. */
export interface ErrorEntry {
  code: ErrorCode
  /** Tells the caller what to do. Defaults to the catalogue's message. */
  message?: string
  /** The invalid parameter, if there is one. */
  attribute?: string | null
}

/** The error type of the server. Every error that a caller may see is a ParleyError. All others become `internal`. */
export class ParleyError extends Error {
  override readonly name = 'ParleyError'
  readonly kind: ErrorKind
  /** At least one entry. There are several when several fields are wrong. */
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
