import { randomInt } from 'node:crypto'
import { compactNtpOf, compactNtpToMs, ntpMsOf } from '../rtp/ntp.ts'
import type { ReportBlock } from '../rtp/rtcp-reader.ts'
import type { SenderInfo } from '../rtp/rtcp-writer.ts'

/** A report with a longer round trip is not believed. */
const MOST_ROUND_TRIP_MS = 10_000

/** A random SSRC, never 0. */
export function newSsrc(): number {
  return randomInt(1, 2 ** 32 - 1)
}

/** One stream as we send it: its numbers, its sender reports, and what the receiver reports of it. */
export class SendStream {
  readonly ssrc: number
  readonly clockRate: number
  payloadType = 0
  /** Added to the room's timestamps; random, as RFC 3550 wants it. */
  readonly timestampOffset: number
  packets = 0
  /** Payload bytes. */
  octets = 0
  /** Share of packets lost by the last report, 0 to 1. */
  fractionLost = 0
  roundTripMs: number | null = null
  /** Packets that reports spoke of since the start, and how many of them were lost before any repair. */
  reportedPackets = 0
  reportedLost = 0
  #highestReported: number | null = null
  #lastTimestamp = 0
  #lastCapturedAtMs = 0

  /** @param clockRate in Hz */
  constructor(clockRate: number) {
    this.ssrc = newSsrc()
    this.clockRate = clockRate
    this.timestampOffset = randomInt(0, 2 ** 32 - 1)
  }

  /** Ties the stream's clock to ours: the sample with this timestamp, as sent, was captured then. */
  onSent(rtpTimestamp: number, capturedAtMs: number): void {
    this.#lastTimestamp = rtpTimestamp
    this.#lastCapturedAtMs = capturedAtMs
  }

  /** What the next sender report says; null before anything was sent. */
  senderInfo(nowMs: number): SenderInfo | null {
    if (this.packets === 0) return null
    const sinceMs = nowMs - this.#lastCapturedAtMs
    return {
      ntpMs: ntpMsOf(nowMs),
      rtpTimestamp: this.#lastTimestamp + Math.round((sinceMs * this.clockRate) / 1000),
      packetCount: this.packets,
      octetCount: this.octets,
    }
  }

  /** Takes what the browser reports of this stream. */
  onReportBlock(block: ReportBlock, nowMs: number): void {
    this.fractionLost = block.fractionLost
    this.#count(block)
    if (block.lastSenderReport === 0) return
    const now = compactNtpOf(ntpMsOf(nowMs))
    const roundTripMs = compactNtpToMs(
      (now - block.lastSenderReport - block.delaySinceLastSenderReport) >>> 0,
    )
    if (roundTripMs < MOST_ROUND_TRIP_MS) this.roundTripMs = roundTripMs
  }

  /** A report's share is of the packets since the one before (RFC 3550, section 6.4.1). */
  #count({ highestSequence, fractionLost }: ReportBlock): void {
    const before = this.#highestReported
    this.#highestReported = highestSequence
    if (before === null) return
    const packets = highestSequence - before
    // A browser may say anything.
    if (packets <= 0 || packets > this.packets) return
    this.reportedPackets += packets
    this.reportedLost += packets * fractionLost
  }
}
