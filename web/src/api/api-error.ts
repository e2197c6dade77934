/** One entry of the error body of the API. */
export interface ApiErrorEntry {
  type: string
  code: string
  message: string
  /** The invalid field, if there is one. */
  attribute: string | null
  /** A page of this server that explains the code. */
  url: string | null
}

/**
 * A request that did not succeed. `status` is the HTTP status, or 0 if no answer came (server down, network gone,
 * answer too late).
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly entries: readonly ApiErrorEntry[]

  constructor(status: number, entries: readonly ApiErrorEntry[], options?: ErrorOptions) {
    super(entries.map((entry) => entry.message).join(' ') || `The request failed (${status}).`, options)
    this.status = status
    this.entries = entries
  }

  /** The server's message about one field, or null. */
  about(attribute: string): string | null {
    return this.entries.find((entry) => entry.attribute === attribute)?.message ?? null
  }
}
