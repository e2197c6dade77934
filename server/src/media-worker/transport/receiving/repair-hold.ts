import { timestampDistance } from '../rtp/serial.ts'
import { ArrivalDelays } from './arrival-delays.ts'
import type { Recoveries } from './recoveries.ts'

const TICKS_PER_MS = 90
/** Share of the pictures that has to arrive in time; what is later is shown late. */
const IN_TIME_SHARE = 0.98
/** How often the hold is looked at, and by how much it shrinks then: pictures must not jump to and fro. */
const UPDATE_INTERVAL_MS = 500
const MOST_SHRINKING_MS = 10
/** Where packets take longer than this to come again, a picture that stumbles is better than a talk with such delays. */
const MOST_HOLD_MS = 500
/** A timestamp that far off is a new beginning of the sender's clock. */
const JUMP_MS = 2000

/**
 * When the pictures of a camera should be shown, so that those which had to wait for a lost packet come no later than the
 * others: all of them as long after their capture as nearly every one has arrived.
 */
export class RepairHold {
  readonly #recoveries: Recoveries
  readonly #delays = new ArrivalDelays()
  #holdMs = 0
  #wasLossy = false
  #updatedAtMs = Number.NEGATIVE_INFINITY
  #timestamp = 0
  /** RTP timestamp of the last frame, unwrapped. */
  #mediaMs = 0
  #arrivedAtMs = Number.NEGATIVE_INFINITY

  constructor(recoveries: Recoveries) {
    this.#recoveries = recoveries
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
    this.#follow(rtpTimestamp, arrivedAtMs)
    this.#delays.add(this.#mediaMs, arrivedAtMs)
    this.#update(arrivedAtMs)
    if (this.#holdMs === 0) return arrivedAtMs
    return Math.max(arrivedAtMs, this.#mediaMs + this.#delays.baselineMs + this.#holdMs)
  }

  #follow(rtpTimestamp: number, arrivedAtMs: number): void {
    const passedMs = timestampDistance(this.#timestamp, rtpTimestamp) / TICKS_PER_MS
    const jumped = Math.abs(passedMs - (arrivedAtMs - this.#arrivedAtMs)) > JUMP_MS
    if (jumped) this.#delays.reset()
    this.#mediaMs = jumped ? 0 : this.#mediaMs + passedMs
    this.#timestamp = rtpTimestamp
    this.#arrivedAtMs = arrivedAtMs
  }

  #update(nowMs: number): void {
    if (nowMs - this.#updatedAtMs < UPDATE_INTERVAL_MS) return
    this.#updatedAtMs = nowMs
    const isLossy = this.#recoveries.isLossy(nowMs)
    // What arrived before says nothing about a network that loses packets.
    if (isLossy && !this.#wasLossy) this.#delays.restart()
    this.#wasLossy = isLossy
    const wantedMs = isLossy ? Math.min(MOST_HOLD_MS, this.#delays.quantileMs(IN_TIME_SHARE)) : 0
    this.#holdMs = Math.max(wantedMs, this.#holdMs - MOST_SHRINKING_MS)
  }
}
