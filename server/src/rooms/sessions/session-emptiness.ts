import type { Clock, Timer } from '../../clock.ts'

export interface SessionEmptinessOptions {
  clock: Clock
  /** How long a session stays open with nobody in it, in milliseconds. */
  graceMs: number
  /** Whether nobody has a seat and nobody is negotiating one. */
  isEmpty: () => boolean
  /** Whether the session is in storage. */
  isStarted: () => boolean
  /** Called when the session must end, because nobody is in it. */
  onOver: () => void
}

/** Decides when an empty session ends. */
export class SessionEmptiness {
  readonly #options: SessionEmptinessOptions
  #timer: Timer | null = null

  constructor(options: SessionEmptinessOptions) {
    this.#options = options
  }

  /**
   * Starts the grace if nobody is left. A session that never got its first member ends at once and leaves no record.
   */
  check(): void {
    const { clock, graceMs, isEmpty, isStarted, onOver } = this.#options
    this.cancel()
    if (!isEmpty()) return
    if (isStarted()) this.#timer = clock.after(graceMs, onOver)
    else onOver()
  }

  /** Ends the grace: somebody is joining, or the session has ended. */
  cancel(): void {
    this.#timer?.cancel()
    this.#timer = null
  }
}
