import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { RecurringWork } from '../../recurring-work.ts'
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
  readonly #looks: RecurringWork

  constructor(options: LostSessionsOptions) {
    this.#options = options
    this.#looks = new RecurringWork(options, () => this.#look().then(() => INTERVAL_MS))
  }

  start(): void {
    this.#looks.start(INTERVAL_MS)
  }

  stop(): Promise<void> {
    return this.#looks.stop()
  }

  async #look(): Promise<void> {
    const { storage, clock, log, isRunningHere, settle } = this.#options
    try {
      for (const session of await storage.sessions.listSilent(clock.now() - SILENCE_MS)) {
        if (this.#looks.isStopped || isRunningHere(session)) continue
        await settle(session).catch((error: unknown) =>
          log.debug({ err: error, sessionId: session.id }, 'lost session not completed yet'),
        )
      }
    } catch (error) {
      log.error({ err: error }, 'lost sessions could not be looked for')
    }
  }
}
