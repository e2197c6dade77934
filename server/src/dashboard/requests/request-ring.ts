import { shownPath } from './shown-path.ts'

/** Requests of one project that are kept. */
export const REQUESTS_KEPT = 1000
/** Bytes of a path that are kept. */
export const PATH_MAX_BYTES = 200

/** What is kept of a request: neither its body nor its headers. */
export interface LoggedRequest {
  /** Unix milliseconds. */
  at: number
  requestId: string
  method: string
  /** With its query, in which secrets are hidden. */
  path: string
  status: number
  durationMs: number
  /** What kind of credentials it came with. */
  credentialKind: CredentialKind
  /** Name of the API token or of the user; empty for end users. */
  credentialName: string
  /** Code of the error that it was answered with; null if it was not refused. */
  errorCode: string | null
}

export type CredentialKind = 'api-token' | 'user' | 'end-user'

/** A request that is kept, with its place: each has a higher number than all before it. */
export interface NumberedRequest extends LoggedRequest {
  number: number
}

/**
 * The last requests of one project, in memory that is taken once: keeping a request allocates nothing, unless its query
 * has to be cut. Texts that are the same for many requests are kept by reference.
 */
export class RequestRing {
  readonly #at = new Float64Array(REQUESTS_KEPT)
  readonly #durationMs = new Float32Array(REQUESTS_KEPT)
  readonly #status = new Uint16Array(REQUESTS_KEPT)
  readonly #pathBytes = new Uint8Array(REQUESTS_KEPT)
  readonly #paths = Buffer.alloc(REQUESTS_KEPT * PATH_MAX_BYTES)
  readonly #texts: Texts[] = Array.from({ length: REQUESTS_KEPT }, () => ({ ...NO_TEXTS }))
  #count = 0

  /** Requests that were ever kept. It is the number of the newest. */
  get count(): number {
    return this.#count
  }

  /** Number of the oldest that is still kept. */
  get oldest(): number {
    return Math.max(1, this.#count - REQUESTS_KEPT + 1)
  }

  /** When the newest came, in Unix milliseconds; 0 without any. */
  get lastAt(): number {
    return this.#count === 0 ? 0 : (this.#at[placeOf(this.#count)] ?? 0)
  }

  /** Keeps a request in place of the oldest. @returns its number */
  add(request: LoggedRequest): number {
    const number = ++this.#count
    const place = placeOf(number)
    this.#at[place] = request.at
    this.#durationMs[place] = request.durationMs
    this.#status[place] = request.status
    // Request lines have no characters beyond those of Latin 1.
    const start = place * PATH_MAX_BYTES
    this.#pathBytes[place] = this.#paths.write(shownPath(request.path), start, PATH_MAX_BYTES, 'latin1')
    const texts = this.#texts[place] ?? NO_TEXTS
    texts.requestId = request.requestId
    texts.method = request.method
    texts.credentialKind = request.credentialKind
    texts.credentialName = request.credentialName
    texts.errorCode = request.errorCode
    return number
  }

  /** The request of a number that is still kept. */
  read(number: number): NumberedRequest {
    const place = placeOf(number)
    const start = place * PATH_MAX_BYTES
    return {
      ...(this.#texts[place] ?? NO_TEXTS),
      number,
      at: this.#at[place] ?? 0,
      path: this.#paths.toString('latin1', start, start + (this.#pathBytes[place] ?? 0)),
      status: this.#status[place] ?? 0,
      durationMs: Math.round((this.#durationMs[place] ?? 0) * 10) / 10,
    }
  }

  /** Forgets all requests, so that another project can have the memory. */
  clear(): void {
    this.#count = 0
    for (const texts of this.#texts) Object.assign(texts, NO_TEXTS)
  }
}

type Texts = Pick<LoggedRequest, 'requestId' | 'method' | 'credentialKind' | 'credentialName' | 'errorCode'>

const NO_TEXTS: Texts = {
  requestId: '',
  method: '',
  credentialKind: 'end-user',
  credentialName: '',
  errorCode: null,
}

const placeOf = (number: number): number => number % REQUESTS_KEPT
