/** Requests under way to all webhooks together. Each holds a socket and some ten kilobytes. */
const MOST = 512
/** The part of them that webhooks may have which answer late or not at all, so that the others always find room. */
const MOST_SLOW = 256

/** Shares out the requests that may be under way at once. */
export class Slots {
  #fast = 0
  #slow = 0

  /** @returns how many of the wanted ones were granted */
  take(wanted: number, isSlow: boolean): number {
    const left = MOST - this.#fast - this.#slow
    const granted = Math.max(0, Math.min(wanted, isSlow ? Math.min(left, MOST_SLOW - this.#slow) : left))
    if (isSlow) this.#slow += granted
    else this.#fast += granted
    return granted
  }

  /** @param isSlow as when they were taken */
  giveBack(count: number, isSlow: boolean): void {
    if (isSlow) this.#slow -= count
    else this.#fast -= count
  }
}
