/** A token bucket: short bursts pass, a flood does not. */
export class TokenBucket {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #filledAtMs = 0

  /**
   * @param burst how much may be taken at once
   * @param perSecond how much may be taken in the long run
   */
  constructor(burst: number, perSecond: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
  }

  /** Takes `amount`. @returns whether that much was left; nothing is taken otherwise */
  take(nowMs: number, amount = 1): boolean {
    if (!this.has(nowMs, amount)) return false
    this.#left -= amount
    return true
  }

  /** Whether `amount` could be taken now. */
  has(nowMs: number, amount = 1): boolean {
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs)
    this.#left = Math.min(this.#burst, this.#left + (elapsedMs * this.#perSecond) / 1000)
    // A clock that was set back must not stop the bucket from filling until it has caught up.
    this.#filledAtMs = nowMs
    return this.#left >= amount
  }

  /** Takes `amount` even where less is left: the debt has to be earned before anything can be taken again. */
  charge(nowMs: number, amount: number): void {
    this.has(nowMs, amount)
    this.#left -= amount
  }
}
