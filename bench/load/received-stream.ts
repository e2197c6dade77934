import { compactNtpOf, msToCompactNtp } from '../../server/src/media-worker/transport/rtp/ntp.ts'
import type { OutgoingReportBlock } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'

/** More missing packets than these are not asked for. */
const MOST_WANTED = 100

/** One stream from the server: what came of it, and what a receiver reports about it. */
export class ReceivedStream {
  ssrc = 0
  packets = 0
  /** Packets that did not come in their turn, whether or not they were repeated afterwards. */
  lost = 0
  /** Sequence numbers to ask for once more. */
  readonly wanted: number[] = []
  /** Sequence number of the newest packet, extended by its rollovers; -1 before the first. */
  highest = -1
  #reported = { highest: 0, lost: 0 }
  #senderReport = { compact: 0, atMs: 0 }

  /** @returns whether packets are missing between the one before and this */
  onPacket(ssrc: number, sequence: number): boolean {
    this.packets++
    if (ssrc !== this.ssrc || this.highest < 0) {
      this.ssrc = ssrc
      this.highest = sequence
      this.#reported = { highest: sequence, lost: this.lost }
      return false
    }
    const step = ((sequence - this.highest) << 16) >> 16
    if (step <= 0) {
      // It was overtaken.
      this.lost = Math.max(0, this.lost - 1)
      return false
    }
    for (let missing = 1; missing < step && this.wanted.length < MOST_WANTED; missing++)
      this.wanted.push((this.highest + missing) & 0xffff)
    this.lost += step - 1
    this.highest += step
    return step > 1
  }

  onSenderReport(ntpMs: number, nowMs: number): void {
    this.#senderReport = { compact: compactNtpOf(ntpMs), atMs: nowMs }
  }

  /** The block of the next report (RFC 3550, section 6.4.1). */
  block(nowMs: number): OutgoingReportBlock {
    const { compact, atMs } = this.#senderReport
    const expected = this.highest - this.#reported.highest
    const lost = this.lost - this.#reported.lost
    this.#reported = { highest: this.highest, lost: this.lost }
    return {
      ssrc: this.ssrc,
      fractionLost: expected > 0 ? Math.min(255, Math.max(0, Math.floor((256 * lost) / expected))) : 0,
      cumulativeLost: this.lost,
      extendedHighestSequence: this.highest,
      jitter: 0,
      lastSenderReport: compact,
      delaySinceLastSenderReport: compact === 0 ? 0 : msToCompactNtp(nowMs - atMs),
    }
  }
}
