import { TokenBucket } from '../../../token-bucket.ts'
import { writeNack } from '../rtp/rtcp-writer.ts'
import { ReceiveStream, type ReceiveStreamEvents } from './receive-stream.ts'
import type { SenderClock } from './sender-clock.ts'

/** How often a browser may begin another stream. Each one discards the state of the last. */
const RESTARTS_AT_ONCE = 5
const RESTARTS_PER_SECOND = 1

export interface SuccessiveStreamsOptions {
  /** Hz. */
  clockRate: number
  /** How long a missing packet is asked for. See {@link ReceiveStream}. */
  repairWindowMs: number
  /** Our own SSRC, named as the sender of RTCP. */
  senderSsrc: number
  clock: SenderClock
  /** Sends an RTCP packet to the browser. */
  sendControl: (packet: Buffer) => void
  /** Events of the current stream. */
  events: ReceiveStreamEvents
}

/**
 * The streams of one microphone or camera, one after the other: a browser may begin another under another SSRC. Counts
 * over all of them, and asks for the missing packets of the current one.
 */
export class SuccessiveStreams {
  readonly #options: SuccessiveStreamsOptions
  readonly #restarts = new TokenBucket(RESTARTS_AT_ONCE, RESTARTS_PER_SECOND)
  readonly #nacks: number[] = []
  #before = { packets: 0, lost: 0, recovered: 0, repaired: 0 }
  /** Null before the first packet. */
  current: ReceiveStream | null = null
  /** Set it before {@link askForMissing}. */
  roundTripMs = 0
  nacksSent = 0

  constructor(options: SuccessiveStreamsOptions) {
    this.#options = options
  }

  get packets(): number {
    return this.#before.packets + (this.current?.packets ?? 0)
  }

  get lost(): number {
    return this.#before.lost + (this.current?.lost ?? 0)
  }

  get recovered(): number {
    return this.#before.recovered + (this.current?.recovered ?? 0)
  }

  get repaired(): number {
    return this.#before.repaired + (this.current?.repaired ?? 0)
  }

  /** Begins another stream. @returns false where that happens more often than a browser does it */
  begin(ssrc: number, nowMs: number): boolean {
    if (!this.#restarts.take(nowMs)) return false
    const { clockRate, repairWindowMs, clock, events } = this.#options
    if (this.current) {
      const { packets, lost, recovered, repaired } = this
      this.#before = { packets, lost, recovered, repaired }
      clock.forget(this.current.ssrc)
    }
    this.current = new ReceiveStream(ssrc, clockRate, repairWindowMs, events)
    return true
  }

  /** Asks for the missing packets that are due. Only where there is a current stream. */
  askForMissing(nowMs: number): void {
    const stream = this.current!
    this.#nacks.length = 0
    stream.collectNacks(nowMs, this.roundTripMs, this.#nacks)
    if (this.#nacks.length === 0) return
    this.nacksSent += this.#nacks.length
    this.#options.sendControl(writeNack(this.#options.senderSsrc, stream.ssrc, this.#nacks))
  }
}
