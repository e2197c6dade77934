import { timestampDistance } from '../rtp/serial.ts'
import { ArrivalDelays } from './arrival-delays.ts'
import type { RecoveryDelays } from './recovery-delays.ts'

const TICKS_PER_MS = 90
/** Share of the pictures that has to arrive in time; what is later is shown late. */
const IN_TIME_SHARE = 0.97
/** With fewer of them in ten seconds, what comes late is not late for lost packets. */
const LEAST_RECOVERIES = 3
/** How often the hold is looked at, and by how much it shrinks then: pictures must not jump to and fro. */
const UPDATE_INTERVAL_MS = 500
const MOST_SHRINKING_MS = 10
/** A timestamp that far off is a new beginning of the sender's clock. */
const JUMP_MS = 2000

/**
 * When the pictures of a camera should be shown, so that those which had to wait for a lost packet come no later than the
 * others: all of them as long after their capture as nearly every one has arrived.
 */
export class RepairHold {
  readonly #recoveries: RecoveryDelays
  readonly #delays = new ArrivalDelays()
  #holdMs = 0
  #updatedAtMs = Number.NEGATIVE_INFINITY
  #timestamp = 0
  /** Of the last frame, unwrapped. */
  #mediaMs = 0
  #arrivedAtMs = Number.NEGATIVE_INFINITY

  constructor(recoveries: RecoveryDelays) {
    this.#recoveries = recoveries
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
    const isLossy = this.#recoveries.recent(nowMs) >= LEAST_RECOVERIES
    const wantedMs = isLossy ? this.#delays.quantileMs(IN_TIME_SHARE) : 0
    this.#holdMs = Math.max(wantedMs, this.#holdMs - MOST_SHRINKING_MS)
  }
}
