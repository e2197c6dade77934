/** Losses looked back at, and how long. */
const WINDOW_MS = 10_000
/** With fewer of them within the window, what comes late is not late for lost packets. */
const LEAST_LOSSES = 3
/** Two as close as this are enough: waiting for a third would let the picture stand still twice before. */
const SHORT_WINDOW_MS = 2000

/** Round trips to wait for: enough for a packet whose retransmission was lost too and is repeated once more. */
const WAIT_ROUND_TRIPS = 1.6
/** Time to notice a loss, in addition to the round trips. */
const WAIT_MARGIN_MS = 75
/** A picture that misses its time by less hardly stumbles: there is time to learn how long repairs take. */
export const STUMBLE_MS = 200

/**
 * How long pictures should wait for a lost packet that is sent again, as long as nothing better was measured.
 * @param roundTripMs of the network
 * @returns milliseconds
 */
export function repairWaitMs(roundTripMs: number): number {
  return WAIT_ROUND_TRIPS * roundTripMs + WAIT_MARGIN_MS
}

/** Notes packets that were lost, and tells whether the network is one that loses packets. */
export class RecentLosses {
  /** Moments of the latest ones, used round and round. */
  readonly #atMs = new Float64Array(LEAST_LOSSES).fill(Number.NEGATIVE_INFINITY)
  #next = 0

  /** Notes a lost packet, once. */
  add(nowMs: number): void {
    this.#atMs[this.#next] = nowMs
    this.#next = (this.#next + 1) % LEAST_LOSSES
  }

  /** Whether lost packets are worth waiting for. */
  isLossy(nowMs: number): boolean {
    if (nowMs - this.#atMs[this.#next]! <= WINDOW_MS) return true
    return nowMs - this.#atMs[(this.#next + 1) % LEAST_LOSSES]! <= SHORT_WINDOW_MS
  }
}
