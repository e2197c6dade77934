const BUCKET_MS = 250
/** Two seconds in all: losses in bursts make a shorter time say anything. */
const BUCKETS = 8
/** With fewer packets a share says nothing. */
const LEAST_PACKETS = 20

/** Share of the packets that a browser missed within the last two seconds, before any repair. */
export class LossShare {
  readonly #arrived = new Float64Array(BUCKETS)
  readonly #missed = new Float64Array(BUCKETS)
  #newest = 0

  /** @param missed may be negative: packets that were thought to be missed have come after all */
  add(arrived: number, missed: number, nowMs: number): void {
    this.#advance(nowMs)
    this.#arrived[this.#newest % BUCKETS]! += arrived
    this.#missed[this.#newest % BUCKETS]! += missed
  }

  /** 0 to 1; 0 as long as there are too few packets. */
  at(nowMs: number): number {
    this.#advance(nowMs)
    let arrived = 0
    let missed = 0
    for (let i = 0; i < BUCKETS; i++) {
      arrived += this.#arrived[i]!
      missed += this.#missed[i]!
    }
    return arrived + missed < LEAST_PACKETS ? 0 : Math.max(0, missed / (arrived + missed))
  }

  #advance(nowMs: number): void {
    const now = Math.floor(nowMs / BUCKET_MS)
    if (now - this.#newest > BUCKETS) this.#newest = now - BUCKETS
    while (this.#newest < now) {
      this.#newest++
      this.#arrived[this.#newest % BUCKETS] = 0
      this.#missed[this.#newest % BUCKETS] = 0
    }
  }
}
