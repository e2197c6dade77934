import { CodecError } from '../codecs/ffmpeg.ts'
import { Picture } from '../codecs/picture.ts'
import { Scaler } from '../codecs/scaler.ts'
import { VIDEO_CLOCK_HZ, VideoEncoder, type VideoEncoderOptions } from '../codecs/video-encoder.ts'
import {
  codecOf,
  type EncodedVideoFrame,
  type VideoCodec,
  type VideoEffort,
  type VideoEncoding,
} from '../media-types.ts'
import { USUAL_STILL_INTERVAL_MS } from './still-interval.ts'

/** At most four keyframes a second, however many are asked for: each costs as much as several pictures. */
const MIN_KEYFRAME_DISTANCE_MS = 250
/**
 * A picture that has just changed is encoded this long at the full rate. The first pictures after a change are coarse, and
 * each further one makes them sharper. It also lets browsers notice at once that the last packets were lost.
 */
const SHARPENING_MS = 1000

/** What an encoder has to know about the picture of a tick. */
export interface CanvasState {
  /** When it was composed. */
  nowMs: number
  /** Since when the canvas has not changed; `nowMs` or earlier. */
  unchangedSinceMs: number
}

export interface CanvasEncoderOptions extends VideoEncoderOptions {
  /** Each encoded picture. The frame object and its data are lent for the call. */
  onFrame: (frame: EncodedVideoFrame) => void
  /** Called with the time that each encode took. */
  countEncode?: ((tookMs: number) => void) | undefined
}

/** One encode of the canvas, in its own size, running only while it is enabled. */
export class CanvasEncoder {
  readonly #codec: VideoCodec
  readonly #options: VideoEncoderOptions
  readonly #onFrame: (frame: EncodedVideoFrame) => void
  readonly #countEncode: ((tookMs: number) => void) | undefined
  #enabled = false
  #encoder: VideoEncoder | null = null
  /** Where the encode is smaller than the canvas. */
  #scaled: { picture: Picture; scaler: Scaler } | null = null
  #keyframeWanted = false
  #lastKeyframeMs = Number.NEGATIVE_INFINITY
  #lastPictureMs = Number.NEGATIVE_INFINITY
  /** When the encoder in use made its first picture. */
  #startedMs = 0
  #lastTimestamp = Number.NEGATIVE_INFINITY
  #stillIntervalMs = USUAL_STILL_INTERVAL_MS
  /** Lent to `onFrame` and reused. */
  readonly #frame: EncodedVideoFrame

  constructor(encoding: VideoEncoding, { onFrame, countEncode, ...options }: CanvasEncoderOptions) {
    this.#codec = codecOf(encoding)
    this.#options = options
    this.#onFrame = onFrame
    this.#countEncode = countEncode
    this.#frame = { encoding, data: Buffer.alloc(0), keyframe: false, rtpTimestamp: 0, capturedAtMs: 0 }
  }

  get enabled(): boolean {
    return this.#enabled
  }

  /** An encoder that is enabled again starts with a keyframe. */
  setEnabled(on: boolean): void {
    this.#enabled = on
    if (!on) this.close()
  }

  requestKeyframe(): void {
    this.#keyframeWanted = true
  }

  /** From the next picture on. */
  setBitrate(bitrateBps: number): void {
    if (bitrateBps === this.#options.bitrateBps) return
    this.#options.bitrateBps = bitrateBps
    if (this.#codec === 'H264') this.#encoder?.setBitrate(bitrateBps)
    else this.close()
  }

  /** See `VideoEffort`. A change begins with a keyframe: rates of pictures and presets are fixed once an encoder is open. */
  setEffort({ fps, isFast, stillIntervalMs }: VideoEffort): void {
    this.#stillIntervalMs = stillIntervalMs
    if (fps === this.#options.fps && isFast === this.#options.isFast) return
    this.#options.fps = fps
    this.#options.isFast = isFast
    this.close()
  }

  /** Encodes the canvas, unless it looks as before and the last picture of it is still good for a moment. */
  encode(canvas: Picture, state: CanvasState): void {
    const { nowMs } = state
    const timestamp = Math.round((nowMs * VIDEO_CLOCK_HZ) / 1000)
    if (!this.#enabled || timestamp <= this.#lastTimestamp) return
    const forceKeyframe = this.#keyframeDue(nowMs)
    if (!forceKeyframe && !this.#pictureDue(state)) return
    this.#lastTimestamp = timestamp
    this.#lastPictureMs = nowMs
    this.#encoder ??= this.#start(nowMs)
    this.#frame.rtpTimestamp = timestamp
    this.#frame.capturedAtMs = nowMs
    const startedAtMs = performance.now()
    try {
      this.#encoder.encode(this.#fit(canvas), timestamp, forceKeyframe, this.#deliver)
      this.#countEncode?.(performance.now() - startedAtMs)
    } catch (error) {
      // An encoder that failed cannot be used any more; the next picture creates another.
      this.close()
      if (!(error instanceof CodecError)) throw error
    }
  }

  /** Frees the encoder; the next picture, if there is one, opens another. */
  close(): void {
    this.#encoder?.close()
    this.#encoder = null
    this.#scaled?.picture.free()
    this.#scaled?.scaler.free()
    this.#scaled = null
  }

  /** The canvas in the size of the encode. */
  #fit(canvas: Picture): Picture {
    const { width, height } = this.#options
    if (canvas.width === width && canvas.height === height) return canvas
    this.#scaled ??= { picture: new Picture(width, height), scaler: new Scaler() }
    this.#scaled.scaler.scale(canvas, this.#scaled.picture)
    return this.#scaled.picture
  }

  #start(nowMs: number): VideoEncoder {
    this.#startedMs = nowMs
    return new VideoEncoder(this.#codec, this.#options)
  }

  #pictureDue({ nowMs, unchangedSinceMs }: CanvasState): boolean {
    if (!this.#encoder || nowMs - this.#lastPictureMs >= this.#stillIntervalMs) return true
    return nowMs - Math.max(unchangedSinceMs, this.#startedMs) < SHARPENING_MS
  }

  #keyframeDue(nowMs: number): boolean {
    return this.#keyframeWanted && nowMs - this.#lastKeyframeMs >= MIN_KEYFRAME_DISTANCE_MS
  }

  readonly #deliver = (data: Buffer, keyframe: boolean): void => {
    this.#frame.data = data
    this.#frame.keyframe = keyframe
    if (keyframe) {
      this.#keyframeWanted = false
      this.#lastKeyframeMs = this.#frame.capturedAtMs
    }
    this.#onFrame(this.#frame)
  }
}
