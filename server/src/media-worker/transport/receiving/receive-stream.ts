import { msToCompactNtp } from '../rtp/ntp.ts'
import type { OutgoingReportBlock } from '../rtp/rtcp-writer.ts'
import { sequenceDistance, timestampDistance } from '../rtp/serial.ts'
import { Reordering } from './reordering.ts'

/** A jump further than this is a restart, not loss (RFC 3550, appendix A.1). */
const MOST_DROPOUT = 3000
/** How far behind the newest packet a late one still counts. */
const MOST_MISORDER = 1024
/** More than these missing at once cannot be repaired in time. */
const MOST_MISSING = 400
const MOST_NACKS_AT_ONCE = 128
/**
 * Between two requests for the same packet. Browsers repeat a packet at most once in a round trip, however often they are
 * asked. So the first request after that counts, and one that is lost costs no more than this.
 */
const RETRY_MS = 25
/** Tries before a packet is given up. With 10 % loss, one packet in 10,000 needs more; waiting for it would take too long. */
const TRIES_IN_WINDOW = 5.5
/** On a short path, even a prompt answer takes longer than {@link RETRY_MS}. */
const NEAR_RETRY_MS = 40
const NEAR_ROUND_TRIP_MS = 50

interface Missing {
  sinceMs: number
  nextTryAtMs: number
  asked: boolean
}

export interface ReceiveStreamEvents {
  /** A packet is given up, by its extended sequence number. For a long gap only its last packet is reported. */
  onAbandoned?(extended: number): void
  /** A packet came after it was asked for. */
  onRecovered?(): void
  /** The sequence numbers start again: earlier extended numbers mean nothing any more. */
  onRestart?(): void
}

/**
 * One stream as it arrives: extended sequence numbers, loss and jitter for report blocks (RFC 3550, section 6.4.1 and
 * appendix A), and the schedule of NACKs (RFC 4585).
 */
export class ReceiveStream {
  readonly ssrc: number
  readonly clockRate: number
  packets = 0
  lost = 0
  recovered = 0
  /** Those of them that were lost, and not only overtaken by others. */
  repaired = 0
  readonly #missing = new Map<number, Missing>()
  readonly #repairWindowMs: number
  readonly #events: ReceiveStreamEvents
  readonly #reordering = new Reordering()
  #highest = -1
  #base = 0
  #receivedSinceBase = 0
  #suspectSequence = -1
  #hasNewGap = false
  #roundTripMs = 0
  #jitter = 0
  #lastTransit: number | null = null
  #reportedExpected = 0
  #reportedReceived = 0
  #lastSenderReport = 0
  #lastSenderReportAtMs = 0

  /**
   * @param clockRate in Hz
   * @param repairWindowMs how long a missing packet is asked for before it is given up; up to twice that where the round
   * trip is long
   */
  constructor(ssrc: number, clockRate: number, repairWindowMs: number, events: ReceiveStreamEvents = {}) {
    this.ssrc = ssrc
    this.clockRate = clockRate
    this.#repairWindowMs = repairWindowMs
    this.#events = events
  }

  /** Whether the packet just taken has shown that others before it are missing. */
  get hasNewGap(): boolean {
    return this.#hasNewGap
  }

  /**
   * Takes note of a packet.
   * @param retransmitted it came by RTX: its timing says nothing about jitter
   * @returns its extended sequence number, or -1 where the packet has to be dropped: a duplicate or out of all order
   */
  onPacket(sequence: number, rtpTimestamp: number, nowMs: number, retransmitted: boolean): number {
    this.#hasNewGap = false
    if (this.#highest < 0) return this.#restart(sequence, rtpTimestamp, nowMs)
    const distance = sequenceDistance(this.#highest & 0xffff, sequence)
    if (distance > MOST_DROPOUT || distance <= -MOST_MISORDER) {
      // Two in a row make it a restart of the sender, one alone is a stray.
      if (retransmitted || sequence !== this.#suspectSequence) {
        this.#suspectSequence = (sequence + 1) & 0xffff
        return -1
      }
      this.#events.onRestart?.()
      return this.#restart(sequence, rtpTimestamp, nowMs)
    }
    if (distance <= 0) return this.#fill(this.#highest + distance, nowMs, retransmitted)
    if (distance > MOST_MISSING) {
      this.#abandonAll()
      this.lost += distance - 1
      this.#events.onAbandoned?.(this.#highest + distance - 1)
    } else {
      const nextTryAtMs = nowMs + this.#reordering.patienceMs
      for (let extended = this.#highest + 1; extended < this.#highest + distance; extended++) {
        this.#missing.set(extended, { sinceMs: nowMs, nextTryAtMs, asked: false })
      }
      this.#hasNewGap = distance > 1
    }
    this.#highest += distance
    this.#count()
    if (!retransmitted) this.#measureJitter(rtpTimestamp, nowMs)
    if (this.#missing.size > MOST_MISSING) this.#abandonAll()
    return this.#highest
  }

  #restart(sequence: number, rtpTimestamp: number, nowMs: number): number {
    this.#missing.clear()
    // One cycle up, so that a packet from before the first one does not become negative.
    this.#highest = 0x10000 + sequence
    this.#base = this.#highest
    this.#receivedSinceBase = this.#reportedExpected = this.#reportedReceived = 0
    this.#suspectSequence = -1
    this.#lastTransit = null
    this.#count()
    this.#measureJitter(rtpTimestamp, nowMs)
    return this.#highest
  }

  #fill(extended: number, nowMs: number, retransmitted: boolean): number {
    const missing = this.#missing.get(extended)
    if (!missing) return -1
    this.#missing.delete(extended)
    const delayMs = nowMs - missing.sinceMs
    if (!retransmitted && (!missing.asked || delayMs < this.#roundTripMs / 2))
      this.#reordering.onLate(delayMs)
    else {
      this.#reordering.onLost()
      this.repaired++
    }
    if (missing.asked) {
      // Not counted as received: reports tell the sender how lossy the network is, not how well we repair it.
      this.packets++
      this.recovered++
      this.#events.onRecovered?.()
    } else {
      this.#count()
    }
    return extended
  }

  /** Interarrival jitter in milliseconds (RFC 3550, section 6.4.1). */
  get jitterMs(): number {
    return (this.#jitter * 1000) / this.clockRate
  }

  #count(): void {
    this.packets++
    this.#receivedSinceBase++
  }

  /** RFC 3550, appendix A.8. */
  #measureJitter(rtpTimestamp: number, nowMs: number): void {
    const transit = (Math.floor((nowMs * this.clockRate) / 1000) - rtpTimestamp) | 0
    if (this.#lastTransit !== null) {
      const change = Math.abs(timestampDistance(this.#lastTransit, transit))
      // A timestamp jump is no jitter.
      if (change < this.clockRate) this.#jitter += (change - this.#jitter) / 16
    }
    this.#lastTransit = transit
  }

  #abandonAll(): void {
    const abandoned = [...this.#missing.keys()]
    this.#missing.clear()
    this.lost += abandoned.length
    for (const extended of abandoned) this.#events.onAbandoned?.(extended)
  }

  /**
   * Collects the packets that have to be asked for now and gives up those that are too late.
   * @param into receives sequence numbers in ascending order
   */
  collectNacks(nowMs: number, roundTripMs: number, into: number[]): void {
    this.#roundTripMs = roundTripMs
    const farMs = Math.min(2 * this.#repairWindowMs, TRIES_IN_WINDOW * roundTripMs)
    const windowMs = Math.max(this.#repairWindowMs, farMs)
    const retryMs = roundTripMs < NEAR_ROUND_TRIP_MS ? NEAR_RETRY_MS + roundTripMs : RETRY_MS
    for (const [extended, missing] of this.#missing) {
      if (nowMs - missing.sinceMs > windowMs) {
        this.#missing.delete(extended)
        this.lost++
        this.#events.onAbandoned?.(extended)
      } else if (nowMs >= missing.nextTryAtMs && into.length < MOST_NACKS_AT_ONCE) {
        missing.nextTryAtMs = nowMs + retryMs
        missing.asked = true
        into.push(extended & 0xffff)
      }
    }
  }

  /** Notes the last sender report, for the round trip that the sender measures. */
  onSenderReport(ntpCompact: number, nowMs: number): void {
    this.#lastSenderReport = ntpCompact
    this.#lastSenderReportAtMs = nowMs
  }

  /** What the next report says of this stream. */
  reportBlock(nowMs: number): OutgoingReportBlock {
    const expected = this.#highest - this.#base + 1
    const expectedNow = expected - this.#reportedExpected
    const receivedNow = this.#receivedSinceBase - this.#reportedReceived
    this.#reportedExpected = expected
    this.#reportedReceived = this.#receivedSinceBase
    const lostNow = Math.max(0, expectedNow - receivedNow)
    return {
      ssrc: this.ssrc,
      fractionLost: expectedNow > 0 ? Math.min(255, Math.floor((256 * lostNow) / expectedNow)) : 0,
      cumulativeLost: expected - this.#receivedSinceBase,
      extendedHighestSequence: this.#highest - 0x10000,
      jitter: this.#jitter,
      lastSenderReport: this.#lastSenderReport,
      delaySinceLastSenderReport: this.#lastSenderReport
        ? msToCompactNtp(nowMs - this.#lastSenderReportAtMs)
        : 0,
    }
  }
}
