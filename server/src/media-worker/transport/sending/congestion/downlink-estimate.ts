import type { ArrivalReport } from '../../rtp/arrival-report.ts'
import { ArrivalRate } from './arrival-rate.ts'
import { DelayTrend } from './delay-trend.ts'
import { LossShare } from './loss-share.ts'
import { SentPackets } from './sent-packets.ts'

/**
 * What a network is believed to carry before it has said anything: most do, and one that does not says so
 * within half a second. What arrives proves more.
 */
const START_BPS = 3_000_000
const MOST_BPS = 20_000_000
/** Sound alone needs a third of it. */
const LEAST_BPS = 100_000
/** Of what arrives while the queue grows, so that it also drains (draft-ietf-rmcat-gcc-02, section 5.5: beta). */
const DECREASE = 0.85
/** Growth in a second while nothing speaks against it (same section: eta). */
const GROWTH_PER_S = 1.08
/** The estimate does not grow beyond this much of what arrives: more would be a guess. */
const MOST_OVER_ARRIVED = 1.5
const ABOVE_ARRIVED_BPS = 10_000
/** A growth of the delay counts once it is this much in all, and this many times what chance makes. */
const RISE_MS = 25
const SIGNIFICANCE = 3
/** Half of that is enough to stop what need not be sent. */
const FILLING_RISE_MS = 12
/** A queue grows for longer than this, and goes on: a delay that has only jumped does not. */
const GROWING_FOR_MS = 150
const LATEST_RISE_MS = 3
/** What arrives is counted over so long: shorter while the queue grows, for it changes then. */
const RATE_WINDOW_MS = 500
const CONGESTED_RATE_WINDOW_MS = 250
const LOSS_RATE_WINDOW_MS = 1500
const LEAST_DECREASE_DISTANCE_MS = 200
/** So long after the last sign of congestion, what arrives is proof of what the network carries. */
const CALM_MS = 500
/**
 * Share of lost packets from which on they are taken for congestion. Below, networks lose packets whatever one sends, and
 * repetitions make up for it.
 */
const CONGESTION_LOSS = 0.2
/** A queue that stands this long does not grow any more only because it is full, if packets are lost at the same time. */
const FULL_QUEUE_MS = 150
const FULL_QUEUE_LOSS = 0.02

/**
 * Estimates what the network to one browser carries, after draft-ietf-rmcat-gcc-02: a rise of the delay, or much loss, takes
 * the estimate down to a little less than what arrives; else it grows. Sending less than the network carries is no reason
 * to go down: only congestion is.
 */
export class DownlinkEstimate {
  readonly sent = new SentPackets()
  /** bit/s on the wire without UDP and IP. */
  bps = START_BPS
  /** Whether a report has come: browsers without transport-wide feedback send none. */
  measured = false
  readonly #rate = new ArrivalRate()
  readonly #trend = new DelayTrend()
  readonly #loss = new LossShare()
  /** Since when all reports have spoken of a growing queue. */
  #growingSinceMs = Number.POSITIVE_INFINITY
  #updatedAtMs = 0
  #decreasedAtMs = Number.NEGATIVE_INFINITY
  #congestedAtMs = Number.NEGATIVE_INFINITY

  /** Whether the network said less than half a second ago that it gets too much. */
  isCongested(nowMs: number): boolean {
    return nowMs - this.#congestedAtMs < CALM_MS
  }

  /** The queue of the bottleneck seems to grow. It is too early to be sure, but not to stop what need not be sent. */
  get isFilling(): boolean {
    const { slope, slopeError, spanMs, latestRiseMs } = this.#trend
    return slope * spanMs > FILLING_RISE_MS && slope > SIGNIFICANCE * slopeError && latestRiseMs > 0
  }

  /** About how long packets wait in the network, beyond what they take anyway. */
  get queueMs(): number {
    return this.#trend.queueMs
  }

  /** Takes what the browser reports of the packets in {@link sent}. @param nowMs on the clock of {@link SentPackets.onSent} */
  onReport(report: ArrivalReport, nowMs: number): void {
    const { sent } = this
    let arrived = 0
    let missed = 0
    for (let i = 0; i < report.count; i++) {
      const number = sent.find((report.first + i) & 0xffff)
      if (number < 0) continue
      const arrivedAtMs = report.arrivedAtMs[i]!
      if (Number.isNaN(arrivedAtMs)) {
        if (sent.markMissed(number)) missed++
        continue
      }
      const before = sent.markArrived(number)
      if (before === 'known') continue
      if (before === 'was missed') missed--
      arrived++
      this.#rate.onPacket(arrivedAtMs, sent.bytes(number))
      this.#trend.onPacket(sent.sentAtMs(number), arrivedAtMs)
    }
    if (arrived === 0 && missed === 0) return
    this.#loss.add(arrived, missed, nowMs)
    this.#trend.update()
    this.#update(nowMs)
  }

  #update(nowMs: number): void {
    const sinceMs = this.measured ? Math.min(1000, nowMs - this.#updatedAtMs) : 0
    this.measured = true
    this.#updatedAtMs = nowMs
    const loss = this.#loss.at(nowMs)
    if (this.#queueGrows(loss, nowMs))
      this.#decrease(nowMs, DECREASE * this.#rate.bps(CONGESTED_RATE_WINDOW_MS))
    else if (loss > CONGESTION_LOSS) this.#decrease(nowMs, this.#lossBound(loss))
    else if (!this.isCongested(nowMs)) this.#increase(sinceMs)
  }

  #queueGrows(loss: number, nowMs: number): boolean {
    const { slope, slopeError, spanMs, queueMs, latestRiseMs } = this.#trend
    const grows =
      slope * spanMs > RISE_MS && slope > SIGNIFICANCE * slopeError && latestRiseMs > LATEST_RISE_MS
    this.#growingSinceMs = grows ? Math.min(this.#growingSinceMs, nowMs) : Number.POSITIVE_INFINITY
    if (nowMs - this.#growingSinceMs >= GROWING_FOR_MS) return true
    return queueMs > FULL_QUEUE_MS && loss > FULL_QUEUE_LOSS
  }

  /** Half of the loss less (draft-ietf-rmcat-gcc-02, section 6), but no less than what arrives. */
  #lossBound(loss: number): number {
    const arrivedBps = this.#rate.bps(LOSS_RATE_WINDOW_MS)
    const sentBps = arrivedBps / (1 - Math.min(0.9, loss))
    return Math.max(arrivedBps, Math.min(this.bps, sentBps) * (1 - loss / 2))
  }

  #decrease(nowMs: number, toBps: number): void {
    this.#congestedAtMs = nowMs
    if (toBps === 0 || nowMs - this.#decreasedAtMs < LEAST_DECREASE_DISTANCE_MS) return
    this.#decreasedAtMs = nowMs
    this.bps = Math.max(LEAST_BPS, Math.min(this.bps, toBps))
  }

  #increase(sinceMs: number): void {
    const arrivedBps = this.#rate.bps(RATE_WINDOW_MS)
    const most = Math.min(MOST_BPS, arrivedBps * MOST_OVER_ARRIVED + ABOVE_ARRIVED_BPS)
    if (this.bps < most) this.bps = Math.min(most, this.bps * GROWTH_PER_S ** (sinceMs / 1000))
    this.bps = Math.max(this.bps, Math.min(MOST_BPS, arrivedBps))
  }
}
