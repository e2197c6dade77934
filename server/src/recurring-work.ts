import type { Logger } from 'pino'
import type { Clock, Timer } from './clock.ts'

/** After work that failed in a way that it does not know. */
const PAUSE_AFTER_FAULT_MS = 60_000

export interface RecurringWorkOptions {
  clock: Clock
  log: Logger
}

/** Does the same work from time to time, never twice at once, until it is stopped. */
export class RecurringWork {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #work: () => Promise<number>
  #timer: Timer | null = null
  #running: Promise<void> | null = null
  #isWokenMeanwhile = false
  #isStopped = false

  /** @param work resolves with the pause until the next time, in ms; says itself what fails as may be expected */
  constructor({ clock, log }: RecurringWorkOptions, work: () => Promise<number>) {
    this.#clock = clock
    this.#log = log
    this.#work = work
  }

  /** Long work looks at this between its parts. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Plans the first time. Does nothing once it is started or stopped. */
  start(delayMs: number): void {
    if (!this.#timer && !this.#running) this.#plan(delayMs)
  }

  /** Does the work at once, or once more after the present time. Does nothing before the start. */
  wake(): void {
    if (this.#running) this.#isWokenMeanwhile = true
    else if (this.#timer) this.#plan(0)
  }

  /** Resolves when no work is under way. Final. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#running
  }

  #plan(delayMs: number): void {
    this.#timer?.cancel()
    this.#timer = null
    if (this.#isStopped) return
    this.#timer = this.#clock.after(delayMs, () => {
      this.#timer = null
      this.#running = this.#run()
    })
  }

  async #run(): Promise<void> {
    let pauseMs = PAUSE_AFTER_FAULT_MS
    try {
      pauseMs = await this.#work()
    } catch (error) {
      this.#log.error({ err: error }, 'a fault in recurring work; it is done again in a minute')
    }
    this.#running = null
    this.#plan(this.#isWokenMeanwhile ? 0 : pauseMs)
    this.#isWokenMeanwhile = false
  }
}
