import { RecentLosses, repairWaitMs, STUMBLE_MS } from '../recent-losses.ts'
import { sequenceDistance } from '../rtp/serial.ts'

/** Reports looked back at; browsers send about one a second. */
const REPORTS = 10
/** The newest reports, which show a sudden loss before the mean of all does. */
const LATEST_REPORTS = 3

/** Shares of lost packets from which on sound carries the packet before it once more, and the one before that. */
const REDUNDANCY_FROM = 0.01
const MORE_REDUNDANCY_FROM = 0.03

/** Share from which on pictures wait for repetitions. */
const WAIT_FROM = 0.02
const MOST_WAIT_MS = 500
/** Browsers are told in steps: the estimate of each second is a little different. */
const WAIT_STEP_MS = 20

/** The loss that a browser has reported lately, and how sending adapts to it. */
export class ReceiverLoss {
  readonly #shares: number[] = []
  readonly #roundTripsMs: number[] = []
  readonly #requested = new RecentLosses()
  #lastRequested = -1

  /**
   * Takes a report.
   * @param share of the packets that it says were lost since the one before, 0 to 1
   */
  report(share: number, roundTripMs: number): void {
    this.#shares.push(share)
    this.#roundTripsMs.push(roundTripMs)
    if (this.#shares.length <= REPORTS) return
    this.#shares.shift()
    this.#roundTripsMs.shift()
  }

  /**
   * Takes a request for a packet (RFC 4585, section 6.2.1): it tells of a loss a second before a report does. Browsers
   * repeat requests; each packet counts once.
   */
  onRequest(sequence: number, nowMs: number): void {
    if (this.#lastRequested >= 0 && sequenceDistance(this.#lastRequested, sequence) <= 0) return
    this.#lastRequested = sequence
    this.#requested.add(nowMs)
  }

  /** Share of the packets that are lost, 0 to 1. Goes up quickly and down slowly. */
  get share(): number {
    return Math.max(mean(this.#shares), mean(this.#shares.slice(-LATEST_REPORTS)))
  }

  /** How many earlier packets each one of sound should carry once more. */
  get redundantPackets(): 0 | 1 | 2 {
    const { share } = this
    if (share < REDUNDANCY_FROM) return 0
    return share < MORE_REDUNDANCY_FROM ? 1 : 2
  }

  /**
   * How long pictures should wait from their capture, so that those which lost a packet come no later; 0 for not at all.
   * @param roundTripMs the latest one
   */
  playoutDelayMs(roundTripMs: number, nowMs: number): number {
    const wantedMs = repairWaitMs(Math.max(roundTripMs, ...this.#roundTripsMs))
    const isSudden = wantedMs >= STUMBLE_MS && this.#requested.isLossy(nowMs)
    if (this.share < WAIT_FROM && !isSudden) return 0
    return Math.min(MOST_WAIT_MS, Math.ceil(wantedMs / WAIT_STEP_MS) * WAIT_STEP_MS)
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
