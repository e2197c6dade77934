import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import type { SessionRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'

const INTERVAL_MS = 2000
/** Owners mark their sessions as alive every second. */
const SILENCE_MS = 4000

export interface LostSessionsOptions {
  storage: Pick<Storage, 'sessions'>
  clock: Clock
  log: Logger
  isRunningHere: (session: SessionRecord) => boolean
  /** Completes the session, unless a node that is alive owns its room. */
  settle: (session: SessionRecord) => Promise<void>
}

/** Looks for sessions whose node was lost, and has them completed. */
export class LostSessions {
  readonly #options: LostSessionsOptions
  #timer: Timer | null = null
  #running: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: LostSessionsOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.after(INTERVAL_MS, () => {
      this.#running = this.#look().finally(() => this.start())
    })
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#running
  }

  async #look(): Promise<void> {
    const { storage, clock, log, isRunningHere, settle } = this.#options
    try {
      for (const session of await storage.sessions.listSilent(clock.now() - SILENCE_MS)) {
        if (this.#isStopped || isRunningHere(session)) continue
        await settle(session).catch((error: unknown) =>
          log.debug({ err: error, sessionId: session.id }, 'lost session not completed yet'),
        )
      }
    } catch (error) {
      log.error({ err: error }, 'lost sessions could not be looked for')
    }
  }
}
