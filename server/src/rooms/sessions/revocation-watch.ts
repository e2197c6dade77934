import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { roomTokenIdOf, roomTokenKey, type TokenKey } from '../token-key.ts'

/**
 * Interval between checks. A member may stay this long, plus the time of a query, after another process has revoked
 * its token.
 */
const INTERVAL_MS = 2000

/** The part of a session that the watch uses. */
interface WatchedSession {
  readonly projectId: string
  readonly tokens: { readonly inUse: readonly TokenKey[] }
  readonly departures: { voidToken(token: TokenKey, reason: 'token_revoked'): void }
}

export interface RevocationWatchOptions {
  storage: Pick<Storage, 'revokedRoomTokens'>
  /** The open sessions. */
  sessions: () => readonly WatchedSession[]
  clock: Clock
  log: Logger
}

/**
 * Removes members whose room token was revoked by another process, such as the command line. Revocations by this
 * server itself take effect at once.
 */
export class RevocationWatch {
  readonly #options: RevocationWatchOptions
  #timer: Timer | null = null
  #checked: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: RevocationWatchOptions) {
    this.#options = options
  }

  /** Starts the watch. It continues as long as there are sessions. */
  watch(): void {
    if (this.#timer || this.#stopped) return
    this.#timer = this.#options.clock.after(INTERVAL_MS, () => {
      this.#checked = this.#check()
    })
  }

  /** Stops the watch. Resolves when no query is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    await this.#checked
  }

  async #check(): Promise<void> {
    const { storage, sessions, log } = this.#options
    try {
      const ids = new Set(
        sessions().flatMap(({ tokens }) => tokens.inUse.flatMap((token) => roomTokenIdOf(token) ?? [])),
      )
      for (const { project_id, token_id } of await storage.revokedRoomTokens.findAmong([...ids])) {
        for (const session of sessions()) {
          if (session.projectId === project_id)
            session.departures.voidToken(roomTokenKey(token_id), 'token_revoked')
        }
      }
    } catch (error) {
      log.error({ err: error }, 'revoked tokens could not be looked up')
    }
    this.#timer = null
    if (sessions().length > 0) this.watch()
  }
}
