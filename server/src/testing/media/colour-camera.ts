import { Picture, type YuvColour } from '../../media-worker/codecs/picture.ts'
import { VideoEncoder } from '../../media-worker/codecs/video-encoder.ts'
import type { ReceivedVideoFrame, VideoCodec } from '../../media-worker/media-types.ts'

/** A camera for tests that films one colour, really encoded. */
export class ColourCamera {
  readonly #codec: VideoCodec
  #picture: Picture
  #encoder: VideoEncoder
  #keyframe = true
  #lastTimestamp = -1
  colour: YuvColour

  constructor(codec: VideoCodec, width: number, height: number, colour: YuvColour) {
    this.#codec = codec
    this.colour = colour
    this.#picture = new Picture(width, height)
    this.#encoder = this.#newEncoder()
  }

  /** A browser does this in mid-stream when its bandwidth changes. */
  resize(width: number, height: number): void {
    this.close()
    this.#picture = new Picture(width, height)
    this.#encoder = this.#newEncoder()
  }

  /** The next frame is a keyframe. */
  requestKeyframe(): void {
    this.#keyframe = true
  }

  /**
   * Takes one frame.
   * @param paint adds to the plain colour
   * @param capturedAtMs what the sender's report says; by default the time of arrival
   * @param dueAtMs where lost packets have to be waited for
   */
  capture(
    arrivedAtMs: number,
    paint: (picture: Picture) => void = () => {},
    capturedAtMs: number | null = arrivedAtMs,
    dueAtMs = arrivedAtMs,
  ): ReceivedVideoFrame {
    this.#picture.fill(this.colour)
    paint(this.#picture)
    const timestamp = Math.max(this.#lastTimestamp + 1, Math.round((capturedAtMs ?? arrivedAtMs) * 90))
    this.#lastTimestamp = timestamp
    const frames: ReceivedVideoFrame[] = []
    this.#encoder.encode(this.#picture, timestamp, this.#keyframe, (data, keyframe) => {
      const rtpTimestamp = timestamp % 2 ** 32
      frames.push({
        codec: this.#codec,
        data: Buffer.from(data),
        keyframe,
        rtpTimestamp,
        capturedAtMs,
        arrivedAtMs,
        dueAtMs,
      })
    })
    this.#keyframe = false
    const [frame] = frames
    if (!frame) throw new Error('the encoder held a picture back')
    return frame
  }

  close(): void {
    this.#encoder.close()
    this.#picture.free()
  }

  #newEncoder(): VideoEncoder {
    const { width, height } = this.#picture
    return new VideoEncoder(this.#codec, { width, height, fps: 30, bitrateBps: 600_000 })
  }
}
