import { hash } from 'node:crypto'
import type { ApiTokenRecord } from '../../storage/records.ts'
import type { ApiTokenRepository } from '../../storage/storage.ts'

/** More tokens than are in use at one time; beyond, all are looked up anew. */
const MOST = 1000

/**
 * Credentials that were found good, so that a client that comes again need not wait for the database: as long as nothing
 * has changed in it, by whatever process, since they were looked up. A token that is revoked is forgotten with that very
 * change.
 */
export class KnownCredentials {
  readonly #tokens: Pick<ApiTokenRepository, 'version'>
  /** By a hash of the header that presents them, so that neither they nor the time it takes to find them tell of them. */
  readonly #known = new Map<string, ApiTokenRecord>()
  #version: number | undefined

  constructor(tokens: Pick<ApiTokenRepository, 'version'>) {
    this.#tokens = tokens
  }

  /** @param header `Authorization`, as it came */
  find(header: string): ApiTokenRecord | undefined {
    const version = this.#tokens.version()
    if (version === undefined || version !== this.#version) return undefined
    return this.#known.get(hash('sha256', header))
  }

  /** @param version of the database before the token was looked up */
  keep(header: string, token: ApiTokenRecord, version: number | undefined): void {
    if (version === undefined) return
    if (version !== this.#version || this.#known.size >= MOST) this.#known.clear()
    this.#version = version
    this.#known.set(hash('sha256', header), token)
  }
}
