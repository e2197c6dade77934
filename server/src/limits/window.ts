/** How long counts are kept, in milliseconds. */
export const WINDOW_MS = 60_000

/** Milliseconds of a clock that never goes back. */
export type SteadyClock = () => number

const steadyClock: SteadyClock = () => performance.now()

/** Values per key within the current minute. All keys share one window, and all values are dropped when it ends. */
export class Window<T> {
  readonly #entries = new Map<string, T>()
  readonly #nowMs: SteadyClock
  #endsAtMs = 0

  constructor(nowMs: SteadyClock = steadyClock) {
    this.#nowMs = nowMs
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
    if (nowMs < this.#endsAtMs) return
    this.#entries.clear()
    this.#endsAtMs = nowMs + WINDOW_MS
  }
}
