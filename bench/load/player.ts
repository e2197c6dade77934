const CLOCK_PER_MS = 48
/** How long sound waits for late packets. */
const BUFFER_MS = 100
/** How fast the buffer follows packets that have become later for good. */
const WINDOW_MS = 2000

/**
 * How much of a stream of sound somebody would not hear: what was never sent, never came, or came too late for a buffer
 * of 100 ms. The buffer is measured from the packets that took the shortest time in the last seconds, so it follows a
 * sender that is late for good. Valid for sound without pauses (no DTX) in packets of one length.
 */
export class Player {
  /** Milliseconds of sound since the last {@link restart}, and how much of it was missing. */
  expectedMs = 0
  missingMs = 0
  readonly #packetMs: number
  #lastTimestamp: number | null = null
  /** The shortest times of the running window and of the one before, in ms on clocks that are not the same. */
  #shortestMs = Number.POSITIVE_INFINITY
  #shortestBeforeMs = Number.POSITIVE_INFINITY
  #windowEndsAtMs = 0

  constructor(packetMs = 20) {
    this.#packetMs = packetMs
  }

  restart(): void {
    this.expectedMs = this.missingMs = 0
  }

  /** @param timestamp of a packet that came now; of the RTP clock of 48 kHz */
  onPacket(timestamp: number, nowMs: number): void {
    const last = this.#lastTimestamp
    const stepMs = last === null ? this.#packetMs : ((timestamp - last) | 0) / CLOCK_PER_MS
    // Overtaken by a later one. It was counted as missing.
    if (stepMs <= 0) return
    this.#lastTimestamp = timestamp
    this.expectedMs += stepMs
    this.missingMs += Math.max(0, stepMs - this.#packetMs)
    const takenMs = nowMs - timestamp / CLOCK_PER_MS
    if (nowMs > this.#windowEndsAtMs) {
      this.#shortestBeforeMs = this.#shortestMs
      this.#shortestMs = Number.POSITIVE_INFINITY
      this.#windowEndsAtMs = nowMs + WINDOW_MS
    }
    if (takenMs - Math.min(this.#shortestMs, this.#shortestBeforeMs) > BUFFER_MS)
      this.missingMs += this.#packetMs
    this.#shortestMs = Math.min(this.#shortestMs, takenMs)
  }
}
