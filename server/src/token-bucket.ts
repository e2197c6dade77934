/** A token bucket. It permits short bursts, but limits the average rate. */
export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #filledAtMs = 0

  /**
   * @param burst amount that may be taken at once
   * @param perSecond amount per second that may be taken on average
   */
  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
  }

  /** Takes `amount`. @returns whether that much was left; otherwise nothing is taken */
  take(nowMs: number, amount = 1): boolean {
    if (!this.has(nowMs, amount)) return false
    this.#left -= amount
    return true
  }

  /** Whether `amount` could be taken now. */
  has(nowMs: number, amount = 1): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs)
    this.#left = Math.min(this.#burst, this.#left + (elapsedMs * this.#perSecond) / 1000)
    // If the clock was set back, the bucket fills on from the new time, instead of waiting until the clock has caught
    // up.
    this.#filledAtMs = nowMs
    return this.#left >= amount
  }

  /** Takes `amount` even if less is left. The missing amount must refill before anything can be taken again. */
  charge(nowMs: number, amount: number): void {
    this.has(nowMs, amount)
    this.#left -= amount
  }
}
