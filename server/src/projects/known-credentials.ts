import { hash } from 'node:crypto'
import type { ApiTokenRepository } from '../storage/storage.ts'
import type { ShownApiToken } from './api-tokens.ts'

/** More credentials than are in use at one time. When there are more, all are looked up anew. */
const MOST = 1000

type Token = ShownApiToken | undefined

/**
 * Credentials that were found good. A client that comes again need not wait for the database, as long as nothing has
 * changed in it, by whatever process, since they were looked up. A revoked token is forgotten with that very change.
 */
export class KnownCredentials {
  readonly #tokens: Pick<ApiTokenRepository, 'version'>
  /** Keyed by a hash of the credentials: the map holds no secret, and look-up time leaks none. */
  readonly #known = new Map<string, ShownApiToken | Promise<Token>>()
  #version: number | undefined

  constructor(tokens: Pick<ApiTokenRepository, 'version'>) {
    this.#tokens = tokens
  }

  /**
   * @param credentials as they were presented
   * @param lookUp finds the token that they present, if they do. Callers who come at once wait for one look-up.
   * @returns the token where it is known, or what came of the look-up
   */
  find(credentials: string, lookUp: () => Promise<Token>): ShownApiToken | Promise<Token> {
    const version = this.#tokens.version()
    if (version === undefined) return lookUp()
    if (version !== this.#version || this.#known.size >= MOST) this.#known.clear()
    this.#version = version
    const key = hash('sha256', credentials)
    const known = this.#known.get(key)
    if (known) return known
    const found = lookUp()
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
