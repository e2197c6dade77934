const BUCKET_MS = 25
/** A power of two. */
const BUCKETS = 64

/** How many bits a second arrive at a browser, by its own clock. */
export class ArrivalRate {
  readonly #bytes = new Float64Array(BUCKETS)
  /** Number of the newest bucket, and of the first one that was ever used. */
  #newest = -1
  #oldest = -1

  onPacket(arrivedAtMs: number, bytes: number): void {
    const bucket = Math.floor(arrivedAtMs / BUCKET_MS)
    if (this.#newest < 0 || Math.abs(bucket - this.#newest) > BUCKETS) {
      // The first packet, a long silence, or a clock that began anew.
      this.#bytes.fill(0)
      this.#newest = this.#oldest = bucket
    }
    while (this.#newest < bucket) this.#bytes[++this.#newest & (BUCKETS - 1)] = 0
    if (bucket > this.#newest - BUCKETS) this.#bytes[bucket & (BUCKETS - 1)]! += bytes
  }

  /**
   * @param windowMs at most 1,500
   * @returns bit/s over the last `windowMs` for which all is known; 0 as long as there was less time than that
   */
  bps(windowMs: number): number {
    const buckets = Math.ceil(windowMs / BUCKET_MS)
    // The newest bucket is still being filled.
    const from = this.#newest - buckets
    if (this.#newest < 0 || from < this.#oldest) return 0
    let bytes = 0
    for (let bucket = from; bucket < this.#newest; bucket++) bytes += this.#bytes[bucket & (BUCKETS - 1)]!
    return (bytes * 8000) / (buckets * BUCKET_MS)
  }
}
