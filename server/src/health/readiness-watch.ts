import type { Clock, Timer } from '../clock.ts'
import type { Readiness } from './readiness.ts'

const LOOK_MS = 1000

/** Knows all the time whether the server can serve, to a second or so. */
export class ReadinessWatch {
  readonly #readiness: Pick<Readiness, 'troubles'>
  readonly #clock: Clock
  #timer: Timer | null = null
  #isStopped = false
  #isReady = true

  constructor(readiness: Pick<Readiness, 'troubles'>, clock: Clock) {
    this.#readiness = readiness
    this.#clock = clock
    void this.#look()
  }

  /** Whether there was no trouble but warnings. */
  get isReady(): boolean {
    return this.#isReady
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  async #look(): Promise<void> {
    const troubles = await this.#readiness.troubles()
    this.#isReady = troubles.every(({ isWarning }) => isWarning)
    if (!this.#isStopped) this.#timer = this.#clock.after(LOOK_MS, () => void this.#look())
  }
}
