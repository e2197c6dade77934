/** How long counts are kept, in milliseconds. */
export const WINDOW_MS = 60_000

/** Milliseconds of a clock that never goes back. */
export type SteadyClock = () => number

const steadyClock: SteadyClock = () => performance.now()

/** The number of the minute of a wall clock, in Unix milliseconds. */
export const windowNumber = (nowMs: number): number => Math.floor(nowMs / WINDOW_MS)

/** Values per key within the current minute. All keys share one window, and all values are dropped when it ends. */
export class Window<T> {
  readonly #entries = new Map<string, T>()
  readonly #nowMs: SteadyClock
  readonly #isOfTheClock: boolean
  #endsAtMs = 0

  /** @param isOfTheClock whether windows are the minutes of a wall clock; otherwise the first use begins one */
  constructor(nowMs: SteadyClock = steadyClock, isOfTheClock = false) {
    this.#nowMs = nowMs
    this.#isOfTheClock = isOfTheClock
  }

  get(key: string): T | undefined {
    this.#turnOver()
    return this.#entries.get(key)
  }

  set(key: string, value: T): void {
    this.#turnOver()
    this.#entries.set(key, value)
  }

  get size(): number {
    this.#turnOver()
    return this.#entries.size
  }

  /** Whole seconds until the next window, at least 1. */
  secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#endsAtMs - this.#nowMs()) / 1000))
  }

  #turnOver(): void {
    const nowMs = this.#nowMs()
    // A wall clock may be set back.
    if (nowMs < this.#endsAtMs && nowMs >= this.#endsAtMs - WINDOW_MS) return
    this.#entries.clear()
    this.#endsAtMs = this.#isOfTheClock ? (windowNumber(nowMs) + 1) * WINDOW_MS : nowMs + WINDOW_MS
  }
}
