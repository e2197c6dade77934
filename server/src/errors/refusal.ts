import { catalogue, type ErrorCode } from './catalogue.ts'
import { type Fault, firstKind, KINDS, type Kind } from './kinds.ts'

/** One thing that is wrong. */
export interface ErrorEntry {
  code: ErrorCode
  /** Tells the caller what to do. Defaults to the catalogue's message. */
  message?: string | undefined
  /** The invalid parameter, if there is one. */
  attribute?: string | null
}

/** One thing that is wrong, as the answer tells it. */
export interface RefusalEntry {
  code: ErrorCode
  message: string
  attribute: string | null
}

/** What a throw adds to the code. */
interface Details extends Omit<ErrorEntry, 'code'> {
  /** The error behind the refusal. It is logged, and the caller never sees it. */
  cause?: unknown
}

/**
 * The error type of the server. Every error that a caller may see is a Refusal: a code of the {@link catalogue}, from
 * which kind, HTTP status, WebSocket code and fault follow. Its `message` is written for the caller. All other errors
 * are answered as `internal_error_occurred`.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  /** Code of the first entry. */
  readonly code: ErrorCode
  readonly kind: Kind
  /** At least one entry. There are several when several fields are wrong. */
  readonly entries: readonly RefusalEntry[]

  /**
   * @param what a code, or one entry for each thing that is wrong
   * @param more the message, if that is all that the throw adds to the code
   */
  constructor(what: ErrorCode | readonly ErrorEntry[], more: Details | string = {}) {
    const { cause, ...details } = typeof more === 'string' ? { message: more } : more
    const entries = (typeof what === 'string' ? [{ code: what, ...details }] : what).map(complete)
    super(entries.map(({ message }) => message).join(' '), cause === undefined ? undefined : { cause })
    this.code = entries[0]?.code ?? 'internal_error_occurred'
    this.kind = firstKind(new Set(entries.map(({ code }) => catalogue[code].kind)))
    this.entries = entries
  }

  /** Status of the answer over HTTP. */
  get httpStatus(): number {
    return KINDS[this.kind].status
  }

  /** `result.code` of the answer in the client protocol. */
  get webSocketCode(): string {
    return KINDS[this.kind].webSocketCode
  }

  get fault(): Fault {
    return KINDS[this.kind].fault
  }
}

const complete = ({ code, message, attribute }: ErrorEntry): RefusalEntry => ({
  code,
  message: message ?? catalogue[code].message,
  attribute: attribute ?? null,
})
