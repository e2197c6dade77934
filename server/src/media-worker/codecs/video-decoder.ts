import {
  AV_CODEC_FLAG_LOW_DELAY,
  AV_FRAME_FLAG_CORRUPT,
  FF_DECODER_H264,
  FF_DECODER_VP8,
} from 'node-av/constants'
import { type CodecContext, Frame, Packet } from 'node-av/lib'
import type { VideoCodec } from '../media-types.ts'
import { allocateDecoder, openCodec } from './ffmpeg.ts'

/** 4096x2304: cameras are asked for less, and what is larger is refused before memory is taken for it. */
const MAX_PIXELS = 4096 * 2304

const DECODER = { H264: FF_DECODER_H264, VP8: FF_DECODER_VP8 } as const

/** A picture out of a {@link VideoDecoder}, to be given back by `release`. */
export interface DecodedPicture {
  readonly width: number
  readonly height: number
  /** For the codecs beside this file only. */
  readonly frame: Frame
  /** Must be called once; the picture may not be used after it. */
  release(): void
}

/** Decodes one camera. Corrupt input costs pictures, never the process. */
export class VideoDecoder {
  readonly codec: VideoCodec
  #context: CodecContext | null
  readonly #packet = new Packet()
  /** Where the next picture goes. */
  #next: PooledPicture
  readonly #idle: PooledPicture[] = []
  #damaged = false

  constructor(codec: VideoCodec) {
    const decoder = allocateDecoder(DECODER[codec])
    decoder.context.setFlags(AV_CODEC_FLAG_LOW_DELAY)
    openCodec(decoder.codec, decoder.context, { max_pixels: String(MAX_PIXELS) })
    this.codec = codec
    this.#context = decoder.context
    this.#packet.alloc()
    this.#next = this.#newPicture()
  }

  /** The last call of `decode` found broken or missing data. Later pictures may be wrong until a keyframe. */
  get damaged(): boolean {
    return this.#damaged
  }

  /**
   * @param data one whole encoded frame; copied
   * @returns the newest picture that it completed, or null. The caller releases it
   */
  decode(data: Uint8Array): DecodedPicture | null {
    if (!this.#context) throw new Error('decoder used after it was closed')
    this.#damaged = false
    // An empty packet would mean the end of the stream and close the decoder for good.
    if (data.length === 0) return null
    this.#packet.data = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (this.#context.sendPacketSync(this.#packet) < 0) this.#damaged = true
    this.#packet.unref()
    let newest: PooledPicture | null = null
    // A failed receive clears the frame it is given, so the newest picture is moved out of its way.
    while (this.#context.receiveFrameSync(this.#next.frame) >= 0) {
      newest?.release()
      newest = this.#next
      this.#next = this.#idle.pop() ?? this.#newPicture()
      if (!newest.adopt()) {
        this.#damaged = true
        newest.release()
        newest = null
      }
    }
    return newest
  }

  /** Frees the decoder. Pictures still held stay valid until released. Idempotent. */
  close(): void {
    if (!this.#context) return
    this.#context.freeContext()
    this.#context = null
    this.#packet.free()
    this.#next.frame.free()
    for (const picture of this.#idle) picture.frame.free()
    this.#idle.length = 0
  }

  #newPicture(): PooledPicture {
    return new PooledPicture((picture) => {
      if (this.#context) {
        picture.frame.unref()
        this.#idle.push(picture)
      } else {
        picture.frame.free()
      }
    })
  }
}

/** The native frame is used again for later pictures; its pixels belong to the decoder's pool. */
class PooledPicture implements DecodedPicture {
  readonly frame = new Frame()
  width = 0
  height = 0
  readonly #giveBack: (picture: PooledPicture) => void
  #held = false

  constructor(giveBack: (picture: PooledPicture) => void) {
    this.frame.alloc()
    this.#giveBack = giveBack
  }

  /** @returns whether the decoder is content with the picture; it is held either way */
  adopt(): boolean {
    this.width = this.frame.width
    this.height = this.frame.height
    this.#held = true
    const broken = this.frame.hasFlags(AV_FRAME_FLAG_CORRUPT) || this.frame.decodeErrorFlags !== 0
    return !broken && this.width > 0 && this.height > 0
  }

  release(): void {
    if (!this.#held) throw new Error('picture released twice')
    this.#held = false
    this.#giveBack(this)
  }
}
