import { timestampDistance } from '../rtp/serial.ts'

/** Sender reports whose delay is compared; browsers send about one a second and stream. */
const SAMPLES = 24
/** Share of each new packet or frame in the mean of how long they travel. */
const TRAVEL_WEIGHT = 0.05
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
  /** From capture to arrival, of the streams that have sent reports. */
  #travelMs: number | null = null

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
   * When the sample with this timestamp was captured. Before the stream's first report, which for sound may take seconds, it
   * is assumed to have travelled as long as the browser's other stream does.
   * @param clockRate of the stream, in Hz
   * @param arrivedAtMs our clock
   * @returns our clock, not after its arrival
   */
  capturedAtMs(ssrc: number, rtpTimestamp: number, clockRate: number, arrivedAtMs: number): number {
    const anchor = this.#anchors.get(ssrc)
    if (!anchor) return arrivedAtMs - (this.#travelMs ?? 0)
    const sinceAnchorMs = (timestampDistance(anchor.rtpTimestamp, rtpTimestamp) * 1000) / clockRate
    const estimateMs = anchor.ntpMs + sinceAnchorMs + this.#leastOffsetMs - this.roundTripMs / 2
    const capturedAtMs = Math.min(estimateMs, arrivedAtMs)
    const travelMs = arrivedAtMs - capturedAtMs
    this.#travelMs ??= travelMs
    this.#travelMs += (travelMs - this.#travelMs) * TRAVEL_WEIGHT
    return capturedAtMs
  }

  /** Forgets a stream that has ended. */
  forget(ssrc: number): void {
    this.#anchors.delete(ssrc)
  }
}
