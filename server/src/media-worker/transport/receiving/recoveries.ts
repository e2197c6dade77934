/** Recoveries looked back at, and how long. */
const WINDOW_MS = 10_000
/** With fewer of them within the window, what comes late is not late for lost packets. */
const LEAST_RECOVERIES = 3

/** Notes the lost packets that came again, and tells whether the network is one that loses packets. */
export class Recoveries {
  /** Moments of the latest ones, used round and round. */
  readonly #atMs = new Float64Array(LEAST_RECOVERIES).fill(Number.NEGATIVE_INFINITY)
  #next = 0

  /** Notes a lost packet that came again. */
  add(nowMs: number): void {
    this.#atMs[this.#next] = nowMs
    this.#next = (this.#next + 1) % LEAST_RECOVERIES
  }

  /** Whether packets that come again are worth waiting for. */
  isLossy(nowMs: number): boolean {
    return nowMs - this.#atMs[this.#next]! <= WINDOW_MS
  }
}
