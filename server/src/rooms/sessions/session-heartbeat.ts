import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import type { Storage } from '../../storage/storage.ts'
import type { LiveSession } from './live-session.ts'

/** Interval between writes. After the server was killed, the end time of a session is accurate to this interval. */
const INTERVAL_MS = 1000

export interface SessionHeartbeatOptions {
  storage: Pick<Storage, 'sessions'>
  clock: Clock
  log: Logger
  /** The sessions that are open now. */
  sessions: () => readonly LiveSession[]
}

/** Writes to storage every second that the sessions are alive, so that their end is known if the server is killed. */
export class SessionHeartbeat {
  readonly #options: SessionHeartbeatOptions
  #next: Timer | null = null
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: SessionHeartbeatOptions) {
    this.#options = options
  }

  /** Starts writing. It continues as long as there are sessions. Idempotent. */
  start(): void {
    if (this.#next || this.#stopped) return
    this.#next = this.#options.clock.after(INTERVAL_MS, () => {
      this.#running = this.#beat()
    })
  }

  /** Stops writing. Resolves when no write is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#next?.cancel()
    await this.#running
  }

  async #beat(): Promise<void> {
    const { storage, clock, log, sessions } = this.#options
    // Each session uses its own clock. The clocks differ after the system time was changed.
    const byOffset = Map.groupBy(
      sessions().filter((session) => session.isStarted),
      (session) => Math.round((session.now - clock.now()) / 1000) * 1000,
    )
    try {
      for (const [offsetMs, started] of byOffset) {
        const ids = started.map((session) => session.id)
        await storage.sessions.touch(ids, clock.now() + offsetMs)
      }
    } catch (error) {
      log.error({ err: error }, 'sessions not marked as alive')
    }
    this.#next = null
    if (sessions().length > 0) this.start()
  }
}
