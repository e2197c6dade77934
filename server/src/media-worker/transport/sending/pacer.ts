/** What may leave at once: so much time's worth of the rate, within these limits. */
const BURST_MS = 40
const LEAST_BURST_BYTES = 2400
const MOST_BURST_BYTES = 14_400

/** Lets pictures leave no faster than at a rate, so that they do not stand in a network's queue before the sound. */
export class Pacer {
  /** bit/s; 0 lets nothing leave. */
  bps = Number.POSITIVE_INFINITY
  #bytes = MOST_BURST_BYTES
  #filledAtMs = 0
  #pausedUntilMs = 0

  /** Whether something may leave now. What leaves may be larger than what is left. */
  isOpen(nowMs: number): boolean {
    if (nowMs < this.#pausedUntilMs) return false
    if (this.bps === Number.POSITIVE_INFINITY) return true
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs)
    this.#filledAtMs = nowMs
    const burst = Math.max(LEAST_BURST_BYTES, Math.min(MOST_BURST_BYTES, (this.bps * BURST_MS) / 8000))
    this.#bytes = Math.min(burst, this.#bytes + (this.bps * elapsedMs) / 8000)
    return this.bps > 0 && this.#bytes > 0
  }

  /** Lets nothing leave before this moment. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = untilMs
  }

  /** So much has left. */
  onSent(bytes: number): void {
    this.#bytes = Math.max(-MOST_BURST_BYTES, this.#bytes - bytes)
  }
}
