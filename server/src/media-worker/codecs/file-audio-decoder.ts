import { AV_SAMPLE_FMT_FLT } from 'node-av/constants'
import {
  avChannelLayoutDefault,
  Codec,
  CodecContext,
  Frame,
  type Packet,
  SoftwareResampleContext,
  type Stream,
} from 'node-av/lib'
import { check, openCodec } from './ffmpeg.ts'
import { SAMPLE_RATE } from './opus-decoder.ts'

/** More samples than one frame of any codec has. */
const MOST_SAMPLES = 192_000

/** Takes decoded sound: mono at 48 kHz, lent for the call, and the time of its first sample by the clock of its packets. */
export type SoundSink = (pcm: Float32Array, atMs: number) => void

/** Decodes the sound of a file, and converts it to what the mixer takes. A packet takes less than a millisecond. */
export class FileAudioDecoder {
  readonly #context: CodecContext
  readonly #frame = new Frame()
  readonly #unitMs: number
  #resampler: SoftwareResampleContext | null = null
  /** What the resampler is set up for. */
  #form = ''
  #pcm = new Float32Array(8192)
  #closed = false

  /** @throws Error when there is no decoder for it */
  constructor(stream: Stream) {
    const codec = Codec.findDecoder(stream.codecpar.codecId)
    if (!codec) throw new Error('no decoder for the sound')
    this.#context = new CodecContext()
    this.#context.allocContext3(codec)
    check('set up the sound', this.#context.parametersToContext(stream.codecpar))
    this.#context.threadCount = 1
    this.#context.pktTimebase = stream.timeBase
    openCodec(codec, this.#context, {})
    this.#frame.alloc()
    this.#unitMs = (1000 * stream.timeBase.num) / stream.timeBase.den
  }

  /** @param packet null for what the decoder still holds at the end */
  decode(packet: Packet | null, sink: SoundSink): void {
    this.#context.sendPacketSync(packet)
    while (this.#context.receiveFrameSync(this.#frame) >= 0) {
      const atMs = Number(this.#frame.bestEffortTimestamp) * this.#unitMs
      const pcm = this.#convert(this.#frame)
      this.#frame.unref()
      if (pcm) sink(pcm, atMs)
    }
  }

  /** Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#context.freeContext()
    this.#frame.free()
    this.#resampler?.free()
    this.#resampler = null
  }

  /** @returns null for a frame that cannot be converted */
  #convert(frame: Frame): Float32Array | null {
    const { nbSamples, sampleRate, extendedData } = frame
    if (nbSamples < 1 || nbSamples > MOST_SAMPLES || sampleRate < 1000 || !extendedData) return null
    const resampler = this.#resamplerFor(frame)
    if (!resampler) return null
    const most = Math.ceil((nbSamples * SAMPLE_RATE) / sampleRate) + 64 + Number(resampler.getDelay(48_000n))
    if (this.#pcm.length < most) this.#pcm = new Float32Array(most)
    const { buffer } = this.#pcm
    const count = resampler.convertSync([Buffer.from(buffer)], most, extendedData, nbSamples)
    return count > 0 ? this.#pcm.subarray(0, count) : null
  }

  #resamplerFor({ channels, format, sampleRate }: Frame): SoftwareResampleContext | null {
    const form = `${channels} ${format} ${sampleRate}`
    if (form === this.#form) return this.#resampler
    this.#resampler?.free()
    this.#resampler = null
    this.#form = form
    const resampler = new SoftwareResampleContext()
    const [mono, source] = [avChannelLayoutDefault(1), avChannelLayoutDefault(channels)]
    const isSetUp =
      resampler.allocSetOpts2(mono, AV_SAMPLE_FMT_FLT, SAMPLE_RATE, source, format as never, sampleRate) >=
        0 && resampler.init() >= 0
    if (!isSetUp) resampler.free()
    else this.#resampler = resampler
    return this.#resampler
  }
}
