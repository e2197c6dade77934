/** Sessions in hand of all webhooks together. Each holds some ten kilobytes, and many of them a socket. */
const MOST = 1024
/** The part of them that webhooks may have which answer late or not at all, so that the others always find room. */
const MOST_SLOW = 512

/** Shares out the sessions that may be in hand at once. */
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
