import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import type { Storage } from '../../storage/storage.ts'
import type { LiveSession } from './live-session.ts'

/** How exact the end time of a session is after the server was killed. */
const INTERVAL_MS = 1000

export interface SessionHeartbeatOptions {
  storage: Pick<Storage, 'sessions'>
  clock: Clock
  log: Logger
  /** The sessions that are open now. */
  sessions: () => readonly LiveSession[]
}

/** Notes in storage every second that the sessions are alive, so that their end is known if the server is killed. */
export class SessionHeartbeat {
  readonly #options: SessionHeartbeatOptions
  #next: Timer | null = null
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: SessionHeartbeatOptions) {
    this.#options = options
  }

  /** Beats for as long as there are sessions. Idempotent. */
  start(): void {
    if (this.#next || this.#stopped) return
    this.#next = this.#options.clock.after(INTERVAL_MS, () => {
      this.#running = this.#beat()
    })
  }

  /** Resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#next?.cancel()
    await this.#running
  }

  async #beat(): Promise<void> {
    const { storage, clock, log, sessions } = this.#options
    // By their own clocks, which differ once the machine's was set.
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
