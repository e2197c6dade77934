import {
  AV_SAMPLE_FMT_FLT,
  avChannelLayoutDefault,
  type CodecContext,
  FF_DECODER_LIBOPUS,
  Frame,
  Packet,
  Rational,
} from 'node-av'
import { allocateDecoder, openCodec } from './ffmpeg.ts'

export const SAMPLE_RATE = 48_000
/** A packet holds at most 120 ms (RFC 6716 section 3.2.5). */
export const LONGEST_OPUS_PACKET_SAMPLES = 5760

const NO_SAMPLES = new Float32Array(0)

/** Decodes one microphone's Opus to mono at 48 kHz. Corrupt packets cost their own sound, never the process. */
export class OpusDecoder {
  #context: CodecContext | null
  readonly #packet = new Packet()
  readonly #frame = new Frame()
  /** One byte: the configuration of the last packet with an empty frame, which is how Opus is told to conceal. */
  readonly #gap = Buffer.alloc(1)
  #started = false

  constructor() {
    const decoder = allocateDecoder(FF_DECODER_LIBOPUS)
    decoder.context.sampleRate = SAMPLE_RATE
    decoder.context.channelLayout = avChannelLayoutDefault(1)
    decoder.context.pktTimebase = new Rational(1, SAMPLE_RATE)
    openCodec(decoder.codec, decoder.context, { request_sample_fmt: 'flt' })
    this.#context = decoder.context
    this.#packet.alloc()
    this.#frame.alloc()
  }

  /** @returns the samples, -1 to 1, lent until the next call; none when the packet is broken */
  decode(payload: Buffer): Float32Array {
    // An empty packet would mean the end of the stream and close the decoder for good.
    if (payload.length === 0) return NO_SAMPLES
    const samples = this.#run(payload)
    if (samples.length > 0) {
      this.#started = true
      // RFC 6716 section 3.1: the low two bits are the number of frames, 0 for one.
      this.#gap[0] = payload[0]! & 0xfc
    }
    return samples
  }

  /**
   * Continues the sound over a lost packet for one frame of the last packet's length. FFmpeg's wrapper passes libopus
   * neither a missing packet nor the wish for its in-band redundancy, but a packet whose only frame is empty makes
   * libopus conceal (RFC 6716 section 4.1.4 of the reference decoder: frames of at most one byte).
   */
  conceal(): Float32Array {
    return this.#started ? this.#run(this.#gap) : NO_SAMPLES
  }

  /** Idempotent. */
  close(): void {
    if (!this.#context) return
    this.#context.freeContext()
    this.#context = null
    this.#packet.free()
    this.#frame.free()
  }

  #run(payload: Buffer): Float32Array {
    if (!this.#context) throw new Error('decoder used after it was closed')
    this.#packet.data = payload
    const sent = this.#context.sendPacketSync(this.#packet)
    this.#packet.unref()
    if (sent < 0 || this.#context.receiveFrameSync(this.#frame) < 0) return NO_SAMPLES
    const data = this.#frame.data?.[0]
    if (!data || this.#frame.format !== AV_SAMPLE_FMT_FLT) return NO_SAMPLES
    const count = Math.min(this.#frame.nbSamples, LONGEST_OPUS_PACKET_SAMPLES, data.length >> 2)
    return new Float32Array(data.buffer, data.byteOffset, count)
  }
}
