import { Codec, CodecContext, Frame, type Packet, type Stream } from 'node-av/lib'
import { check, openCodec } from './ffmpeg.ts'
import type { DecodedPicture } from './video-decoder.ts'

/** 4096x2304, as for cameras. */
const MAX_PIXELS = 4096 * 2304

/** Where a picture has no time of its own: after the one before. */
const USUAL_INTERVAL_MS = 40

/** A decoded picture and its time by the clock of its packets. */
export interface TimedPicture {
  picture: DecodedPicture
  atMs: number
}

/** Decodes the picture of a file on FFmpeg's threads. Corrupt input costs pictures, never the process. */
export class FileVideoDecoder {
  readonly #context: CodecContext
  readonly #unitMs: number
  #next: Frame | null = null
  #lastMs = 0
  #closed = false

  /** @throws Error when there is no decoder for it */
  constructor(stream: Stream) {
    const codec = Codec.findDecoder(stream.codecpar.codecId)
    if (!codec) throw new Error('no decoder for the picture')
    this.#context = new CodecContext()
    this.#context.allocContext3(codec)
    check('set up the picture', this.#context.parametersToContext(stream.codecpar))
    this.#context.threadCount = 1
    this.#context.pktTimebase = stream.timeBase
    openCodec(codec, this.#context, { max_pixels: String(MAX_PIXELS) })
    this.#unitMs = (1000 * stream.timeBase.num) / stream.timeBase.den
  }

  /**
   * @param packet null for what the decoder still holds at the end
   * @returns the pictures that it completed, in order; the caller releases them. One call at a time
   */
  async decode(packet: Packet | null): Promise<TimedPicture[]> {
    // Errors cost the picture: what follows is decoded as well as it can be.
    await this.#context.sendPacket(packet)
    const pictures: TimedPicture[] = []
    if (this.#closed) return pictures
    for (;;) {
      this.#next ??= newFrame()
      if (this.#context.receiveFrameSync(this.#next) < 0) return pictures
      const frame = this.#next
      this.#next = null
      const time = Number(frame.bestEffortTimestamp)
      this.#lastMs = time > -1e15 ? time * this.#unitMs : this.#lastMs + USUAL_INTERVAL_MS
      pictures.push({ picture: pictureOf(frame), atMs: this.#lastMs })
    }
  }

  /** Not during `decode`. Pictures stay valid until they are released. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#context.freeContext()
    this.#next?.free()
    this.#next = null
  }
}

function newFrame(): Frame {
  const frame = new Frame()
  frame.alloc()
  return frame
}

function pictureOf(frame: Frame): DecodedPicture {
  const { num, den } = frame.sampleAspectRatio
  const aspect = num > 0 && den > 0 ? num / den : 1
  // A picture of pixels that are not square is shown in its true proportions.
  const isUsual = aspect > 0.1 && aspect < 10
  return {
    width: isUsual ? Math.max(1, Math.round(frame.width * aspect)) : frame.width,
    height: frame.height,
    frame,
    release: () => frame.free(),
  }
}
