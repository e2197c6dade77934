/** Packets sent within this time are one sample: the one that waited least tells how long the queue was. */
const GROUP_MS = 20
/** Samples remembered: a power of two, more than fit into {@link WINDOW_MS}. */
const SAMPLES = 64
/** Sent within this time before the newest: what a line is laid through. */
const WINDOW_MS = 1000
/** What the delay now is taken from; and the delay before that. */
const LATEST_MS = 60
/** The shortest delay is looked for in the last one to two of these. */
const BASE_WINDOW_MS = 10_000
const LEAST_SAMPLES = 6
/** Distance of two packets' times at which a clock has begun anew. */
const OTHER_CLOCK_MS = 30_000

/**
 * How the delay of packets to a browser develops: a line is laid through the delays of the last second (least squares; the
 * trendline of draft-ietf-rmcat-gcc-02, section 5.3, is the same idea over groups). Only differences of delays are known, for
 * the clocks of both sides differ.
 */
export class DelayTrend {
  /** Milliseconds of delay that a millisecond of sending adds: .6 where 1.6 Mbit/s are sent into 1. */
  slope = 0
  /** How far the slope may be off by chance (standard error). */
  slopeError = 0
  /** Time that the samples of the line cover. */
  spanMs = 0
  /** How much longer packets take now than the fastest did: about what stands in the queue of the bottleneck. */
  queueMs = 0
  /** By how much the delay has grown within about the last 60 ms. A delay that jumped does not go on growing. */
  latestRiseMs = 0
  readonly #sentAtMs = new Float64Array(SAMPLES)
  readonly #delayMs = new Float64Array(SAMPLES)
  #samples = 0
  #leastMs = Number.POSITIVE_INFINITY
  #leastBeforeMs = Number.POSITIVE_INFINITY
  #leastSinceMs = Number.NEGATIVE_INFINITY

  /** Notes a packet that arrived, each on the clock of its side. Packets come nearly in the order of sending. */
  onPacket(sentAtMs: number, arrivedAtMs: number): void {
    const delayMs = arrivedAtMs - sentAtMs
    const last = (this.#samples - 1) & (SAMPLES - 1)
    if (this.#samples > 0) {
      if (Math.abs(delayMs - this.#delayMs[last]!) > OTHER_CLOCK_MS) this.#forget()
      else if (sentAtMs < this.#sentAtMs[last]! + GROUP_MS) {
        this.#delayMs[last] = Math.min(this.#delayMs[last]!, delayMs)
        return
      }
    }
    const place = this.#samples++ & (SAMPLES - 1)
    this.#sentAtMs[place] = sentAtMs
    this.#delayMs[place] = delayMs
  }

  /** Lays the line through what is known. */
  update(): void {
    if (this.#samples === 0) return
    const newestMs = this.#sentAtMs[(this.#samples - 1) & (SAMPLES - 1)]!
    const from = this.#firstSince(newestMs - WINDOW_MS)
    this.#fit(from)
    this.#noteBase(newestMs)
    const latest = this.#firstSince(newestMs - LATEST_MS)
    const latestMs = this.#least(latest, this.#samples)
    const beforeMs = this.#least(this.#firstSince(newestMs - 2 * LATEST_MS), latest)
    this.latestRiseMs = Number.isFinite(beforeMs) ? latestMs - beforeMs : 0
    this.queueMs = latestMs - Math.min(this.#leastMs, this.#leastBeforeMs)
  }

  #least(from: number, to: number): number {
    let leastMs = Number.POSITIVE_INFINITY
    for (let i = from; i < to; i++) leastMs = Math.min(leastMs, this.#delayMs[i & (SAMPLES - 1)]!)
    return leastMs
  }

  #firstSince(sinceMs: number): number {
    let first = this.#samples - 1
    const oldest = Math.max(0, this.#samples - SAMPLES)
    while (first > oldest && this.#sentAtMs[(first - 1) & (SAMPLES - 1)]! >= sinceMs) first--
    return first
  }

  #fit(from: number): void {
    const count = this.#samples - from
    this.slope = this.slopeError = this.spanMs = 0
    if (count < LEAST_SAMPLES) return
    const x0 = this.#sentAtMs[from & (SAMPLES - 1)]!
    const y0 = this.#delayMs[from & (SAMPLES - 1)]!
    let sumX = 0
    let sumY = 0
    let sumXX = 0
    let sumXY = 0
    let sumYY = 0
    for (let i = from; i < this.#samples; i++) {
      const x = this.#sentAtMs[i & (SAMPLES - 1)]! - x0
      const y = this.#delayMs[i & (SAMPLES - 1)]! - y0
      sumX += x
      sumY += y
      sumXX += x * x
      sumXY += x * y
      sumYY += y * y
    }
    const varianceX = sumXX - (sumX * sumX) / count
    if (varianceX <= 0) return
    this.spanMs = this.#sentAtMs[(this.#samples - 1) & (SAMPLES - 1)]! - x0
    this.slope = (sumXY - (sumX * sumY) / count) / varianceX
    const unexplained = sumYY - (sumY * sumY) / count - this.slope * this.slope * varianceX
    this.slopeError = Math.sqrt(Math.max(0, unexplained) / (count - 2) / varianceX)
  }

  #noteBase(newestMs: number): void {
    if (newestMs - this.#leastSinceMs > BASE_WINDOW_MS) {
      this.#leastBeforeMs = this.#leastMs
      this.#leastMs = Number.POSITIVE_INFINITY
      this.#leastSinceMs = newestMs
    }
    this.#leastMs = Math.min(this.#leastMs, this.#least(Math.max(0, this.#samples - SAMPLES), this.#samples))
  }

  #forget(): void {
    this.#samples = 0
    this.#leastMs = this.#leastBeforeMs = Number.POSITIVE_INFINITY
    this.#leastSinceMs = Number.NEGATIVE_INFINITY
  }
}
