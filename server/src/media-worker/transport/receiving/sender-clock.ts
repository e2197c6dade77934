import { timestampDistance } from '../rtp/serial.ts'

/** Sender reports whose delay is compared; browsers send about one a second and stream. */
const SAMPLES = 24
/** A step of the sender's clock, larger than any network delay. */
const CLOCK_STEP_MS = 2000

interface Anchor {
  ntpMs: number
  rtpTimestamp: number
}

/**
 * Translates RTP timestamps of one browser into moments of capture on our clock, from its sender reports. One for all
 * streams of the browser, so that its audio and video stay aligned to each other.
 */
export class SenderClock {
  /** Half of it is taken off what arrives, since reports travel too. */
  roundTripMs = 0
  readonly #anchors = new Map<number, Anchor>()
  readonly #offsetsMs: number[] = []
  #leastOffsetMs = 0

  /**
   * Takes a sender report.
   * @param ntpMs the sender's clock, milliseconds since the NTP epoch
   * @param rtpTimestamp the same moment on the stream's clock
   * @param arrivedAtMs our clock
   */
  onSenderReport(ssrc: number, ntpMs: number, rtpTimestamp: number, arrivedAtMs: number): void {
    const anchor = this.#anchors.get(ssrc)
    if (anchor) {
      anchor.ntpMs = ntpMs
      anchor.rtpTimestamp = rtpTimestamp
    } else {
      this.#anchors.set(ssrc, { ntpMs, rtpTimestamp })
    }
    const offsetMs = arrivedAtMs - ntpMs
    if (Math.abs(offsetMs - this.#leastOffsetMs) > CLOCK_STEP_MS) this.#offsetsMs.length = 0
    this.#offsetsMs.push(offsetMs)
    if (this.#offsetsMs.length > SAMPLES) this.#offsetsMs.shift()
    // The report that travelled fastest tells most about the two clocks.
    this.#leastOffsetMs = Math.min(...this.#offsetsMs)
  }

  /**
   * When the sample with this timestamp was captured.
   * @param clockRate of the stream, in Hz
   * @returns our clock, or null before the stream's first sender report
   */
  capturedAtMs(ssrc: number, rtpTimestamp: number, clockRate: number): number | null {
    const anchor = this.#anchors.get(ssrc)
    if (!anchor) return null
    const sinceAnchorMs = (timestampDistance(anchor.rtpTimestamp, rtpTimestamp) * 1000) / clockRate
    return anchor.ntpMs + sinceAnchorMs + this.#leastOffsetMs - this.roundTripMs / 2
  }

  /** Forgets a stream that has ended. */
  forget(ssrc: number): void {
    this.#anchors.delete(ssrc)
  }
}
