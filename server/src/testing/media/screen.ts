import { Picture, type YuvColour } from '../../media-worker/codecs/picture.ts'
import { Scaler } from '../../media-worker/codecs/scaler.ts'
import { VideoDecoder } from '../../media-worker/codecs/video-decoder.ts'
import type { EncodedVideoFrame, VideoCodec } from '../../media-worker/media-types.ts'

/** Decodes what a mixer sends, for tests that check its pixels. */
export class Screen {
  readonly #decoder: VideoDecoder
  readonly #scaler = new Scaler()
  #picture: Picture | null = null
  framesShown = 0

  constructor(codec: VideoCodec) {
    this.#decoder = new VideoDecoder(codec)
  }

  show(frame: EncodedVideoFrame): void {
    const decoded = this.#decoder.decode(frame.data)
    if (this.#decoder.damaged || !decoded) throw new Error('the mixer sent a frame that does not decode')
    if (this.#picture?.width !== decoded.width || this.#picture.height !== decoded.height) {
      this.#picture?.free()
      this.#picture = new Picture(decoded.width, decoded.height)
    }
    this.#scaler.scale(decoded, this.#picture)
    decoded.release()
    this.framesShown++
  }

  get size(): { width: number; height: number } {
    return { width: this.#picture?.width ?? 0, height: this.#picture?.height ?? 0 }
  }

  colourAt(x: number, y: number): YuvColour {
    if (!this.#picture) throw new Error('nothing was shown yet')
    return this.#picture.colourAt(x, y)
  }

  close(): void {
    this.#decoder.close()
    this.#scaler.free()
    this.#picture?.free()
  }
}

/** The largest of the differences of the three components. */
export function colourDistance(a: YuvColour, b: YuvColour): number {
  return Math.max(Math.abs(a.y - b.y), Math.abs(a.u - b.u), Math.abs(a.v - b.v))
}
