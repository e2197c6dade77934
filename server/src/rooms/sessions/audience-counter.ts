import type { Clock, Timer } from '../../clock.ts'

/** Shortest interval between reports, however many viewers come and go. */
const SHORTEST_INTERVAL_MS = 2000
/** Interval between reports while there is an audience, even if its size has not changed. */
const LONGEST_INTERVAL_MS = 30_000

/** Decides when all participants are informed of the audience's size. */
export class AudienceCounter {
  readonly #clock: Clock
  readonly #tell: (total: number) => void
  #total = 0
  #told = 0
  #toldAt = Number.NEGATIVE_INFINITY
  #timer: Timer | null = null

  constructor(clock: Clock, tell: (total: number) => void) {
    this.#clock = clock
    this.#tell = tell
  }

  set(total: number): void {
    if (total === this.#total) return
    this.#total = total
    this.#arm()
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = null
  }

  #arm(): void {
    this.#timer?.cancel()
    this.#timer = null
    const changed = this.#total !== this.#told
    if (!changed && this.#total === 0) return
    const dueAt = this.#toldAt + (changed ? SHORTEST_INTERVAL_MS : LONGEST_INTERVAL_MS)
    const delayMs = dueAt - this.#clock.now()
    if (delayMs > 0) this.#timer = this.#clock.after(delayMs, () => this.#tellNow())
    else this.#tellNow()
  }

  #tellNow(): void {
    this.#told = this.#total
    this.#toldAt = this.#clock.now()
    this.#tell(this.#total)
    this.#arm()
  }
}
