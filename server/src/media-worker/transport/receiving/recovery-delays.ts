/** Recoveries looked back at, and how long. */
const WINDOW = 128
const WINDOW_MS = 10_000
/** Fewer than these within the window are no reason to wait for such packets. */
const LEAST_RECOVERIES = 8
/** Share of the recoveries that is worth waiting for. */
const COVERED_SHARE = 0.95

/** How long it took lately until lost packets came again, for the buffer that has to wait for them. */
export class RecoveryDelays {
  readonly #delaysMs = new Float64Array(WINDOW)
  readonly #atMs = new Float64Array(WINDOW)
  #count = 0

  /**
   * Notes a packet that came again.
   * @param delayMs since it was missed
   */
  add(delayMs: number, nowMs: number): void {
    this.#delaysMs[this.#count % WINDOW] = delayMs
    this.#atMs[this.#count++ % WINDOW] = nowMs
  }

  /** How many packets came again lately. */
  recent(nowMs: number): number {
    let count = 0
    for (let i = 0; i < Math.min(this.#count, WINDOW); i++) if (nowMs - this.#atMs[i]! <= WINDOW_MS) count++
    return count
  }

  /** How long to wait so that nearly all lost packets come in time; 0 while hardly any are lost. */
  worthwhileMs(nowMs: number): number {
    const recent: number[] = []
    for (let i = 0; i < Math.min(this.#count, WINDOW); i++) {
      if (nowMs - this.#atMs[i]! <= WINDOW_MS) recent.push(this.#delaysMs[i]!)
    }
    if (recent.length < LEAST_RECOVERIES) return 0
    recent.sort((a, b) => a - b)
    return recent[Math.floor(COVERED_SHARE * recent.length)]!
  }
}
