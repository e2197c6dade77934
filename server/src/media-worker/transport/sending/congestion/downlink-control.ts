import { LOOKS_PER_SECOND } from '../../leg-clock.ts'
import type { VideoSender } from '../video-sender.ts'
import type { DownlinkEstimate } from './downlink-estimate.ts'
import { type Rendition, RenditionChoice } from './rendition-choice.ts'

/** Pictures leave no faster than this many times what the network carries: a keyframe would delay the sound behind it. */
const PACE = 2.5
const SLOW_PACE = 1.5
const LEAST_PACE_BPS = 500_000
/** Of a network that has not said anything. */
const ASSUMED_BPS = 3_000_000
/** What already stands in the network's queue when pictures become smaller leaves before more comes, for at most so long. */
const LONGEST_PAUSE_MS = 1000
/** Sound, and what headers take. */
const BESIDE_PICTURE_BPS = 80_000

/** Fits what one browser is sent to its network: how fast pictures leave, which of them, and padding to learn more. */
export class DownlinkControl {
  /** What the full picture needs in bit/s; null where there is no other. */
  fullBps: number | null = null
  readonly #sender: VideoSender
  readonly #onRendition: (rendition: Rendition) => void
  readonly #choice = new RenditionChoice()
  /** Of the last second, one for each look. */
  readonly #sentBytes = new Float64Array(LOOKS_PER_SECOND)
  #looks = 0

  /** @param onRendition the browser should get another picture */
  constructor(sender: VideoSender, onRendition: (rendition: Rendition) => void) {
    this.#sender = sender
    this.#onRendition = onRendition
    this.pace(ASSUMED_BPS)
  }

  get rendition(): Rendition {
    return this.#choice.rendition
  }

  /** To be called with every news of what the network carries, in bit/s. */
  pace(estimateBps: number): void {
    const pace = this.rendition === 'small' ? SLOW_PACE : PACE
    this.#sender.pacer.bps = Math.max(LEAST_PACE_BPS, estimateBps * pace)
  }

  /**
   * To be called {@link LOOKS_PER_SECOND} times a second.
   * @param estimateBps what the network carries; null before anything is known
   * @param own where that is from; null where it is from the browser
   * @param sentBytes all that was sent since the start
   */
  tick(nowMs: number, estimateBps: number | null, own: DownlinkEstimate | null, sentBytes: number): void {
    const place = this.#looks++ % LOOKS_PER_SECOND
    const sentBps = this.#looks > LOOKS_PER_SECOND ? (sentBytes - this.#sentBytes[place]!) * 8 : 0
    this.#sentBytes[place] = sentBytes
    if (estimateBps === null || this.fullBps === null) return
    // A browser that estimates by itself goes below what it is sent only where that is too much.
    const isCongested = own ? own.isCongested(nowMs) : estimateBps < sentBps
    const isFilling = own?.isFilling ?? false
    const fullBps = this.fullBps + BESIDE_PICTURE_BPS
    const changed = this.#choice.update(nowMs, { estimateBps, isCongested, isFilling, sentBps, fullBps })
    this.#sender.paddedBps = this.#choice.paddedBps
    if (!changed) return
    this.#sender.isSparing = this.rendition === 'small'
    if (this.rendition === 'small')
      this.#sender.pacer.pause(nowMs + Math.min(LONGEST_PAUSE_MS, own?.queueMs ?? 0))
    this.#onRendition(this.rendition)
  }
}
