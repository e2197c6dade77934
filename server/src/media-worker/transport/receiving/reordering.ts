/** The longest wait for a packet that may only have been overtaken. */
const MOST_PATIENCE_MS = 60
/** How far one packet moves the estimate up or down: it settles where a fifth of the overtaken packets come later. */
const UP_MS = 4
const DOWN_MS = 1

/**
 * How long a missing packet should be waited for before it is asked for, since the network may only have reordered it.
 * Nothing as long as the network keeps the order.
 */
export class Reordering {
  #patienceMs = 0

  get patienceMs(): number {
    return this.#patienceMs
  }

  /** A packet was overtaken and came by itself, this long after those behind it. */
  onLate(delayMs: number): void {
    if (delayMs > this.#patienceMs) this.#patienceMs = Math.min(MOST_PATIENCE_MS, this.#patienceMs + UP_MS)
    else this.onLost()
  }

  /** A packet was really lost. */
  onLost(): void {
    this.#patienceMs = Math.max(0, this.#patienceMs - DOWN_MS)
  }
}
