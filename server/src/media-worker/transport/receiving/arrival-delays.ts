/** Packets whose delay is looked at: about eight seconds of speech. */
const WINDOW_PACKETS = 400
/** How long the fastest packet is remembered: short enough to follow clocks that drift, twice this at most. */
const BASELINE_EPOCH_MS = 5000

/** How late the packets of one stream are, against the fastest of the last seconds. */
export class ArrivalDelays {
  readonly #delaysMs = new Float64Array(WINDOW_PACKETS)
  readonly #sorted = new Float64Array(WINDOW_PACKETS)
  #count = 0
  #epochEndsAtMs = 0
  #leastMs = Number.POSITIVE_INFINITY
  #leastBeforeMs = Number.POSITIVE_INFINITY

  /** Transit time of the fastest packet, on an arbitrary scale: `arrival - media time`. Infinity before the first packet. */
  get baselineMs(): number {
    return Math.min(this.#leastMs, this.#leastBeforeMs)
  }

  /**
   * Notes a packet.
   * @param mediaMs its RTP timestamp, unwrapped, in milliseconds
   * @param arrivedAtMs our clock
   */
  add(mediaMs: number, arrivedAtMs: number): void {
    const transitMs = arrivedAtMs - mediaMs
    if (arrivedAtMs >= this.#epochEndsAtMs) {
      this.#leastBeforeMs = this.#leastMs
      this.#leastMs = transitMs
      this.#epochEndsAtMs = arrivedAtMs + BASELINE_EPOCH_MS
    }
    this.#leastMs = Math.min(this.#leastMs, transitMs)
    this.#delaysMs[this.#count++ % WINDOW_PACKETS] = transitMs - this.baselineMs
  }

  /** Packets noted since the last restart. */
  get count(): number {
    return this.#count
  }

  /** The delay that this share of the packets (0 to 1) keeps to, in milliseconds. */
  quantileMs(share: number): number {
    const count = Math.min(this.#count, WINDOW_PACKETS)
    if (count === 0) return 0
    const sorted = this.#sorted.subarray(0, count)
    sorted.set(this.#delaysMs.subarray(0, count))
    sorted.sort()
    return sorted[Math.min(count - 1, Math.floor(share * count))]!
  }

  /** Forgets the delays, not what the fastest packet took. */
  restart(): void {
    this.#count = 0
  }

  /** Forgets everything: the stream began anew. */
  reset(): void {
    this.#count = 0
    this.#leastMs = this.#leastBeforeMs = Number.POSITIVE_INFINITY
    this.#epochEndsAtMs = 0
  }
}
