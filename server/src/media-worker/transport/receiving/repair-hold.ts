import { type RecentLosses, repairWaitMs, STUMBLE_MS } from '../recent-losses.ts'
import { timestampDistance } from '../rtp/serial.ts'
import { ArrivalDelays } from './arrival-delays.ts'

const TICKS_PER_MS = 90
/** Share of the pictures that has to arrive in time; what is later is shown late. */
const IN_TIME_SHARE = 0.99
/** How often the hold is looked at, and by how much it shrinks then: pictures must not jump to and fro. */
const UPDATE_INTERVAL_MS = 500
const MOST_SHRINKING_MS = 10
/** By how much it grows at most, in milliseconds for each of the film: half speed for a moment, and no standstill. */
const MOST_GROWTH = 1
/** With fewer frames since the losses began, the hold is no less than what lost packets usually take. */
const LEAST_FRAMES = 100
/** Where packets take longer than this to come again, a picture that stumbles is better than a talk with such delays. */
const MOST_HOLD_MS = 500
/** A timestamp that far off is a new beginning of the sender's clock. */
const JUMP_MS = 2000

/**
 * When the pictures of a camera should be shown, so that those which had to wait for a lost packet come no later than the
 * others: all of them as long after their capture as nearly every one has arrived.
 */
export class RepairHold {
  /** The network's round trip. */
  roundTripMs = 0
  readonly #losses: RecentLosses
  readonly #delays = new ArrivalDelays()
  #holdMs = 0
  #targetMs = 0
  #wasLossy = false
  #updatedAtMs = Number.NEGATIVE_INFINITY
  #timestamp = 0
  /** RTP timestamp of the last frame, unwrapped. */
  #mediaMs = 0
  #arrivedAtMs = Number.NEGATIVE_INFINITY

  constructor(losses: RecentLosses) {
    this.#losses = losses
  }

  /** How long after the fastest possible arrival pictures are shown now; 0 on a good network. */
  get holdMs(): number {
    return this.#holdMs
  }

  /**
   * Notes a whole frame.
   * @param rtpTimestamp 90 kHz
   * @returns the moment to show it on our clock; `arrivedAtMs` on a good network
   */
  dueAtMs(rtpTimestamp: number, arrivedAtMs: number): number {
    const passedMs = this.#follow(rtpTimestamp, arrivedAtMs)
    this.#delays.add(this.#mediaMs, arrivedAtMs)
    this.#update(arrivedAtMs)
    const growthMs = Math.min(this.#targetMs - this.#holdMs, MOST_GROWTH * passedMs)
    this.#holdMs += Math.max(0, growthMs)
    if (this.#holdMs === 0) return arrivedAtMs
    return Math.max(arrivedAtMs, this.#mediaMs + this.#delays.baselineMs + this.#holdMs)
  }

  /** @returns milliseconds of the film since the last frame */
  #follow(rtpTimestamp: number, arrivedAtMs: number): number {
    const passedMs = timestampDistance(this.#timestamp, rtpTimestamp) / TICKS_PER_MS
    const jumped = Math.abs(passedMs - (arrivedAtMs - this.#arrivedAtMs)) > JUMP_MS
    if (jumped) this.#delays.reset()
    this.#mediaMs = jumped ? 0 : this.#mediaMs + passedMs
    this.#timestamp = rtpTimestamp
    this.#arrivedAtMs = arrivedAtMs
    return jumped ? 0 : passedMs
  }

  #update(nowMs: number): void {
    const isLossy = this.#losses.isLossy(nowMs)
    const begins = isLossy && !this.#wasLossy
    if (!begins && nowMs - this.#updatedAtMs < UPDATE_INTERVAL_MS) return
    this.#updatedAtMs = nowMs
    this.#wasLossy = isLossy
    // What arrived before says nothing about a network that loses packets.
    if (begins) this.#delays.restart()
    this.#targetMs = Math.max(isLossy ? this.#wantedMs : 0, this.#holdMs - MOST_SHRINKING_MS)
    this.#holdMs = Math.min(this.#holdMs, this.#targetMs)
  }

  get #wantedMs(): number {
    const measuredMs = this.#delays.quantileMs(IN_TIME_SHARE)
    const usualMs = repairWaitMs(this.roundTripMs)
    const isKnown = this.#delays.count >= LEAST_FRAMES || usualMs < STUMBLE_MS
    return Math.min(MOST_HOLD_MS, isKnown ? measuredMs : Math.max(measuredMs, usualMs))
  }
}
