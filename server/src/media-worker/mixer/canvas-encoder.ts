import { CodecError } from '../codecs/ffmpeg.ts'
import type { Picture } from '../codecs/picture.ts'
import { VIDEO_CLOCK_HZ, VideoEncoder, type VideoEncoderOptions } from '../codecs/video-encoder.ts'
import type { EncodedVideoFrame, VideoCodec } from '../media-types.ts'

/** At most four keyframes a second, however many are asked for: each costs as much as several pictures. */
const MIN_KEYFRAME_DISTANCE_MS = 250

export interface CanvasEncoderOptions extends VideoEncoderOptions {
  /** Each encoded picture. The frame object and its data are lent for the call. */
  onFrame: (frame: EncodedVideoFrame) => void
}

/** One encode of the canvas, running only while it is enabled. */
export class CanvasEncoder {
  readonly #codec: VideoCodec
  readonly #options: VideoEncoderOptions
  readonly #onFrame: (frame: EncodedVideoFrame) => void
  #enabled = false
  #encoder: VideoEncoder | null = null
  #keyframeWanted = false
  #lastKeyframeMs = Number.NEGATIVE_INFINITY
  #lastTimestamp = Number.NEGATIVE_INFINITY
  /** Lent to `onFrame` and reused. */
  readonly #frame: EncodedVideoFrame

  constructor(codec: VideoCodec, { onFrame, ...options }: CanvasEncoderOptions) {
    this.#codec = codec
    this.#options = options
    this.#onFrame = onFrame
    this.#frame = { codec, data: Buffer.alloc(0), keyframe: false, rtpTimestamp: 0, capturedAtMs: 0 }
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

  /** @param keyframeIntervalMs a keyframe at least this often; null for none but those asked for */
  encode(canvas: Picture, nowMs: number, keyframeIntervalMs: number | null): void {
    if (!this.#enabled) return
    const timestamp = Math.round((nowMs * VIDEO_CLOCK_HZ) / 1000)
    if (timestamp <= this.#lastTimestamp) return
    this.#lastTimestamp = timestamp
    this.#encoder ??= new VideoEncoder(this.#codec, this.#options)
    const forceKeyframe = this.#keyframeDue(nowMs, keyframeIntervalMs)
    this.#frame.rtpTimestamp = timestamp
    this.#frame.capturedAtMs = nowMs
    try {
      this.#encoder.encode(canvas, timestamp, forceKeyframe, this.#deliver)
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
  }

  #keyframeDue(nowMs: number, intervalMs: number | null): boolean {
    const sinceMs = nowMs - this.#lastKeyframeMs
    if (intervalMs !== null && sinceMs >= intervalMs) return true
    return this.#keyframeWanted && sinceMs >= MIN_KEYFRAME_DISTANCE_MS
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
