import type { LegQuality } from '../../media/channel.ts'
import type { TransportStats } from './transport-stats.ts'

/** What a transport measured between two looks at it. */
export type TransportQuality = Omit<LegQuality, 'memberId'>

/** Makes figures of a period from the counters of a transport, which run since its start. */
export class QualityMeter {
  #before: TransportStats | null = null
  #beforeMs: number

  /** @param nowMs when the transport began */
  constructor(nowMs: number) {
    this.#beforeMs = nowMs
  }

  /** @returns the figures since the last call, or since the start; null where no time has passed */
  take(now: TransportStats, nowMs: number): TransportQuality | null {
    const seconds = (nowMs - this.#beforeMs) / 1000
    if (seconds <= 0) return null
    const before = this.#before
    const since = (of: (stats: TransportStats) => number) => Math.max(0, of(now) - (before ? of(before) : 0))
    const received = since((stats) => stats.received.packets)
    const lost = since((stats) => stats.received.lost)
    const missed = lost + since((stats) => stats.received.repaired)
    const reported = since((stats) => stats.sent.reportedPackets)
    const reportedLost = since((stats) => stats.sent.reportedLost)
    const frames = since((stats) => stats.received.videoFrames)
    this.#before = now
    this.#beforeMs = nowMs
    return {
      roundTripMs: now.roundTripMs,
      jitterMs: received > 0 ? now.received.jitterMs : null,
      uplinkLoss: received + lost > 0 ? Math.min(1, missed / (received + lost)) : null,
      downlinkLoss: reported > 0 ? reportedLost / reported : null,
      uplinkBitrateBps: (since((stats) => stats.received.bytes) * 8) / seconds,
      downlinkBitrateBps: (since((stats) => stats.sent.bytes) * 8) / seconds,
      frameRate: frames > 0 ? frames / seconds : null,
    }
  }
}
