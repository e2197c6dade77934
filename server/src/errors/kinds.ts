/** Whose fault a refusal is. The log level of its answer follows from it. */
export type Fault = 'caller' | 'destination' | 'ours'

interface KindOfRefusal {
  /** HTTP status of the answer. */
  status: number
  /** `type` of the error entries in a REST answer. */
  type: string
  /** `result.code` of the answer in the client protocol (docs/protocol.md, section 6). */
  webSocketCode: string
  fault: Fault
}

/**
 * How the surfaces answer each kind of refusal, and whose fault it is. A refusal with several entries takes the kind
 * that stands first here: a request that lacks a field is `incomplete`, even if other fields are invalid.
 */
export const KINDS = {
  malformed: { status: 400, type: 'invalid_request_error', webSocketCode: '400', fault: 'caller' },
  /** The request can be read, but something required is absent. */
  incomplete: { status: 400, type: 'validation_error', webSocketCode: '400', fault: 'caller' },
  unauthenticated: { status: 401, type: 'authentication_error', webSocketCode: '401', fault: 'caller' },
  forbidden: { status: 403, type: 'authorization_error', webSocketCode: '403', fault: 'caller' },
  notFound: { status: 404, type: 'not_found_error', webSocketCode: '404', fault: 'caller' },
  invalid: { status: 422, type: 'validation_error', webSocketCode: '400', fault: 'caller' },
  /** The request is valid, but not in the present state of the object. */
  wrongState: { status: 422, type: 'validation_error', webSocketCode: '409', fault: 'caller' },
  tooLarge: { status: 422, type: 'validation_error', webSocketCode: '413', fault: 'caller' },
  locked: { status: 422, type: 'validation_error', webSocketCode: '423', fault: 'caller' },
  full: { status: 422, type: 'validation_error', webSocketCode: '480', fault: 'caller' },
  rateLimited: { status: 429, type: 'rate_limit_error', webSocketCode: '429', fault: 'caller' },
  /** Something outside of this server failed or refused: the server of a stream, a device, a carrier. */
  destinationFailed: { status: 422, type: 'validation_error', webSocketCode: '500', fault: 'destination' },
  internal: { status: 500, type: 'internal_error', webSocketCode: '500', fault: 'ours' },
  /** Temporary: the same request may succeed a few seconds later. */
  unavailable: { status: 503, type: 'internal_error', webSocketCode: '503', fault: 'ours' },
  /** The machine has too much to do. Clients take it like a room that is full. */
  overloaded: { status: 503, type: 'internal_error', webSocketCode: '480', fault: 'ours' },
  /** The disk has no space, or takes no files. */
  noSpace: { status: 503, type: 'internal_error', webSocketCode: '507', fault: 'ours' },
} as const satisfies Record<string, KindOfRefusal>

/** Kind of a refusal. */
export type Kind = keyof typeof KINDS

const ORDER = Object.keys(KINDS) as Kind[]

/** The kind that decides how several refusals are answered together. */
export const firstKind = (kinds: ReadonlySet<Kind>): Kind =>
  ORDER.find((kind) => kinds.has(kind)) ?? 'internal'
