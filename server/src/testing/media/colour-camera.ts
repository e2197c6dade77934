import { Picture, type YuvColour } from '../../media-worker/codecs/picture.ts'
import { VideoEncoder } from '../../media-worker/codecs/video-encoder.ts'
import type { ReceivedVideoFrame, VideoCodec } from '../../media-worker/media-types.ts'

/** A test camera that shows one colour. Its frames are really encoded. */
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

  /** Changes the size. A browser does this in mid-stream when its bandwidth changes. */
  resize(width: number, height: number): void {
    this.close()
    this.#picture = new Picture(width, height)
    this.#encoder = this.#newEncoder()
  }

  /** Makes the next frame a keyframe. */
  requestKeyframe(): void {
    this.#keyframe = true
  }

  /**
   * Captures one frame.
   * @param paint draws on top of the plain colour
   * @param capturedAtMs the capture time in the sender's report; by default the time of arrival
   * @param dueAtMs set if the receiver has to wait for lost packets
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

/** Draws a small mark that is at another place in each picture of 30 a second. */
export function movingMark(nowMs: number): (picture: Picture) => void {
  const x = 2 * (Math.floor(nowMs / 33) % 16)
  return (picture) => picture.fill({ y: 16, u: 128, v: 128 }, { x, y: 0, width: 4, height: 4 })
}
