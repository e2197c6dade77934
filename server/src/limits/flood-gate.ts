/** A token bucket: short bursts pass, a flood does not. */
export class FloodGate {
  readonly #burst: number
  readonly #perSecond: number
  #left: number
  #filledAt: number

  /**
   * @param burst how many may come at once
   * @param perSecond how many may come in the long run
   * @param now Unix milliseconds
   */
  constructor(burst: number, perSecond: number, now: number) {
    this.#burst = burst
    this.#perSecond = perSecond
    this.#left = burst
    this.#filledAt = now
  }

  /** Counts one. @returns whether it may pass */
  pass(now: number): boolean {
    const elapsedMs = Math.max(0, now - this.#filledAt)
    this.#left = Math.min(this.#burst, this.#left + (elapsedMs / 1000) * this.#perSecond)
    this.#filledAt = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }
}
