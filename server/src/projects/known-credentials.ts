import { hash } from 'node:crypto'
import type { ApiTokenRepository } from '../storage/interfaces/projects.ts'
import type { ShownApiToken } from './api-tokens.ts'

/** Limit for the cache, more than are in use at one time. Beyond it, all credentials are looked up again. */
const MOST = 1000

type Token = ShownApiToken | undefined

/**
 * Cache of valid credentials. A client that comes again need not wait for the database, as long as no process has
 * changed the tokens since the look-up. So a revoked token is forgotten with its revocation.
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
   * @param credentials credentials as the client sent them
   * @param lookUp finds the token of the credentials, if they are valid. Concurrent callers share one look-up.
   * @returns the token if it is cached, otherwise the result of the look-up
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
      // The cache may have been cleared meanwhile.
      if (this.#known.get(key) !== found) return
      if (token) this.#known.set(key, token)
      else this.#known.delete(key)
    }
    found.then(settle, () => settle(undefined))
    return found
  }
}
