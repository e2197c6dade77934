import { TokenBucket } from '../../token-bucket.ts'
import { type DecodedPicture, VideoDecoder } from '../codecs/video-decoder.ts'
import type { ReceivedVideoFrame } from '../media-types.ts'

const KEYFRAME_REQUEST_INTERVAL_MS = 500
/** Pictures waiting for their sound: 500 ms of 30 a second, and some more. */
const MAX_WAITING = 18

/**
 * Pixels decoded per second, and in a burst, for one camera or screen: twice a 1080p camera at 30 pictures a second, or
 * twelve pictures of the largest screen. A few bytes can describe a picture of nine million pixels.
 */
const PIXELS_PER_SECOND = 120e6
const PIXELS_AT_ONCE = 240e6
/** A small picture counts as this many pixels, because each picture has a fixed cost. */
const LEAST_PIXELS = 250_000

interface WaitingPicture {
  picture: DecodedPicture
  showAtMs: number
}

/** What a camera's decoder needs of a {@link ReceivedVideoFrame}. */
export type CameraFrame = Pick<ReceivedVideoFrame, 'codec' | 'keyframe' | 'arrivedAtMs'> & {
  data: Uint8Array
}

/** One member's camera or screen: decodes what comes, and holds each picture back until it is due. */
export class Camera {
  readonly #memberId: string
  readonly #onKeyframeWanted: (memberId: string) => void
  #decoder: VideoDecoder | null = null
  #awaitingKeyframe = true
  readonly #budget = new TokenBucket(PIXELS_AT_ONCE, PIXELS_PER_SECOND)
  #lastPixels = 0
  #lastRequestMs = Number.NEGATIVE_INFINITY
  readonly #waiting: WaitingPicture[] = []
  #shown: DecodedPicture | null = null
  #shownSinceMs = 0
  #version = 0

  constructor(memberId: string, onKeyframeWanted: (memberId: string) => void) {
    this.#memberId = memberId
    this.#onKeyframeWanted = onKeyframeWanted
  }

  /** What the tile shows, or null for the name card. Lent until the next call of any other method. */
  get picture(): DecodedPicture | null {
    return this.#shown
  }

  /** Changes with every new `picture`. */
  get version(): number {
    return this.#version
  }

  /** Decodes a frame at once; its picture is shown by an `advance` at `showAtMs` or later. */
  push(frame: CameraFrame, showAtMs: number): void {
    if (this.#decoder && this.#decoder.codec !== frame.codec) this.#closeDecoder()
    if (this.#awaitingKeyframe && !frame.keyframe) {
      this.#requestKeyframe(frame.arrivedAtMs)
      return
    }
    if (!this.#budget.has(frame.arrivedAtMs)) {
      this.skip(frame.arrivedAtMs)
      return
    }
    this.#awaitingKeyframe = false
    this.#decoder ??= new VideoDecoder(frame.codec)
    const picture = this.#decoder.decode(frame.data)
    if (picture) this.#lastPixels = picture.width * picture.height
    this.#budget.charge(frame.arrivedAtMs, Math.max(LEAST_PIXELS, this.#lastPixels))
    if (this.#decoder.damaged) {
      // A picture that freezes for a moment looks better than a broken one. The decoder is replaced, because what it read
      // from a broken parameter set would outlive the next keyframe.
      picture?.release()
      this.#closeDecoder()
      this.#requestKeyframe(frame.arrivedAtMs)
    } else if (picture) {
      this.#wait(picture, showAtMs)
    }
  }

  /** Leaves a frame out. Later ones cannot be decoded without it, so that only a keyframe helps. */
  skip(nowMs: number): void {
    this.#closeDecoder()
    this.#requestKeyframe(nowMs)
  }

  /**
   * Moves on to the newest picture that is due.
   * @param staleAfterMs a picture without a successor is forgotten after this long
   */
  advance(nowMs: number, staleAfterMs: number): void {
    while (this.#waiting[0] && this.#waiting[0].showAtMs <= nowMs) {
      this.#shown?.release()
      this.#shown = this.#waiting.shift()?.picture ?? null
      this.#shownSinceMs = nowMs
      this.#version++
    }
    if (nowMs - this.#shownSinceMs > staleAfterMs) this.#forgetShown()
  }

  /** The camera is off or gone: no picture, and only a keyframe brings one back. */
  clear(): void {
    for (const { picture } of this.#waiting) picture.release()
    this.#waiting.length = 0
    this.#forgetShown()
    this.#closeDecoder()
  }

  #wait(picture: DecodedPicture, showAtMs: number): void {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift()?.picture.release()
    this.#waiting.push({ picture, showAtMs: Math.max(showAtMs, this.#waiting.at(-1)?.showAtMs ?? 0) })
  }

  #requestKeyframe(nowMs: number): void {
    if (nowMs - this.#lastRequestMs < KEYFRAME_REQUEST_INTERVAL_MS) return
    this.#lastRequestMs = nowMs
    this.#onKeyframeWanted(this.#memberId)
  }

  #forgetShown(): void {
    if (!this.#shown) return
    this.#shown.release()
    this.#shown = null
    this.#version++
  }

  #closeDecoder(): void {
    this.#decoder?.close()
    this.#decoder = null
    this.#awaitingKeyframe = true
  }
}
