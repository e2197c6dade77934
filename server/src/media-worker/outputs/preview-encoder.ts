import { Picture } from '../codecs/picture.ts'
import { Scaler } from '../codecs/scaler.ts'
import { VIDEO_CLOCK_HZ, VideoEncoder } from '../codecs/video-encoder.ts'
import { endOfParameterSets } from './annex-b.ts'

const WIDTH = 320
const HEIGHT = 180
const FPS = 5
const BITRATE_BPS = 200_000

/**
 * Takes one encoded picture, lent for the call, without SPS and PPS. `timestamp` and `duration` in 90 kHz; `header` is SPS
 * and PPS in Annex B with the picture that begins a clip, null with the others.
 */
export type PreviewSink = (data: Buffer, timestamp: number, duration: number, header: Buffer | null) => void

/** Makes the composed picture small and encodes it, clip by clip. */
export class PreviewEncoder {
  static readonly width = WIDTH
  static readonly height = HEIGHT
  static readonly fps = FPS
  /** From one picture to the next, in milliseconds. */
  static readonly pictureMs = 1000 / FPS

  readonly #scaler = new Scaler()
  readonly #picture = new Picture(WIDTH, HEIGHT)
  #encoder: VideoEncoder | null = null

  /** @param index of the picture in its clip, from 0 @throws CodecError; then `restart` */
  encode(picture: Picture, index: number, sink: PreviewSink): void {
    this.#scaler.scale(picture, this.#picture)
    this.#encoder ??= new VideoEncoder('H264', {
      width: WIDTH,
      height: HEIGHT,
      fps: FPS,
      bitrateBps: BITRATE_BPS,
    })
    const duration = VIDEO_CLOCK_HZ / FPS
    const timestamp = index * duration
    this.#encoder.encode(this.#picture, timestamp, index === 0, (data, keyframe) => {
      const end = keyframe ? endOfParameterSets(data) : 0
      const header = index === 0 ? Buffer.from(data.subarray(0, end)) : null
      sink(data.subarray(end), timestamp, duration, header)
    })
  }

  /** The next picture begins a clip. */
  restart(): void {
    this.#encoder?.close()
    this.#encoder = null
  }

  /** Idempotent. Nothing can be encoded afterwards. */
  close(): void {
    this.restart()
    this.#scaler.free()
    this.#picture.free()
  }
}
