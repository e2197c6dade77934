import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { roomTokenIdOf, roomTokenKey, type TokenKey } from '../token-key.ts'

/** How long somebody may stay in by a token that another process has revoked: this, and the time of a query. */
const INTERVAL_MS = 2000

/** What of a session is watched. */
interface WatchedSession {
  readonly projectId: string
  readonly tokens: readonly TokenKey[]
  voidToken(token: TokenKey, reason: 'token_revoked'): void
}

export interface RevocationWatchOptions {
  storage: Pick<Storage, 'revokedRoomTokens'>
  /** Those that are open. */
  sessions: () => readonly WatchedSession[]
  clock: Clock
  log: Logger
}

/**
 * Ends the stay of those whose room token was revoked beside the server, as by the command line. What this server itself
 * revokes takes effect at once.
 */
export class RevocationWatch {
  readonly #options: RevocationWatchOptions
  #timer: Timer | null = null
  #checked: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: RevocationWatchOptions) {
    this.#options = options
  }

  /** Goes on as long as there are sessions. */
  watch(): void {
    if (this.#timer || this.#stopped) return
    this.#timer = this.#options.clock.after(INTERVAL_MS, () => {
      this.#checked = this.#check()
    })
  }

  /** Resolves when no query is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#checked
  }

  async #check(): Promise<void> {
    const { storage, sessions, log } = this.#options
    try {
      const ids = new Set(
        sessions().flatMap(({ tokens }) => tokens.flatMap((token) => roomTokenIdOf(token) ?? [])),
      )
      for (const { project_id, token_id } of await storage.revokedRoomTokens.findAmong([...ids])) {
        for (const session of sessions()) {
          if (session.projectId === project_id) session.voidToken(roomTokenKey(token_id), 'token_revoked')
        }
      }
    } catch (error) {
      log.error({ err: error }, 'revoked tokens could not be looked up')
    }
    this.#timer = null
    if (sessions().length > 0) this.watch()
  }
}
