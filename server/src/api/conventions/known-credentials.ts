import { hash } from 'node:crypto'
import type { ApiTokenRecord } from '../../storage/records.ts'
import type { ApiTokenRepository } from '../../storage/storage.ts'

/** More credentials than are in use at one time; beyond, all are looked up anew. */
const MOST = 1000

type Token = ApiTokenRecord | undefined

/**
 * Credentials that were found good, so that a client that comes again need not wait for the database: as long as nothing
 * has changed in it, by whatever process, since they were looked up. A token that is revoked is forgotten with that very
 * change.
 */
export class KnownCredentials {
  readonly #tokens: Pick<ApiTokenRepository, 'version'>
  /** By a hash of the header that presents them, so that neither they nor the time it takes to find them tell of them. */
  readonly #known = new Map<string, ApiTokenRecord | Promise<Token>>()
  #version: number | undefined

  constructor(tokens: Pick<ApiTokenRepository, 'version'>) {
    this.#tokens = tokens
  }

  /**
   * @param header `Authorization`, as it came
   * @param lookUp finds the token that it presents, if it does; many who come at once wait for one lookup
   * @returns the token where it is known, or what came of the lookup
   */
  find(header: string, lookUp: (header: string) => Promise<Token>): ApiTokenRecord | Promise<Token> {
    const version = this.#tokens.version()
    if (version === undefined) return lookUp(header)
    if (version !== this.#version || this.#known.size >= MOST) this.#known.clear()
    this.#version = version
    const key = hash('sha256', header)
    const known = this.#known.get(key)
    if (known) return known
    const found = lookUp(header)
    this.#known.set(key, found)
    const settle = (token: Token) => {
      // Something may have changed meanwhile.
      if (this.#known.get(key) !== found) return
      if (token) this.#known.set(key, token)
      else this.#known.delete(key)
    }
    found.then(settle, () => settle(undefined))
    return found
  }
}
