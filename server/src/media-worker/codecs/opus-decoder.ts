import { createDecoder, loadLibopus, type OpusDecoderHandle } from 'libopus-wasm'

export const SAMPLE_RATE = 48_000
/** A packet holds at most 120 ms (RFC 6716 section 3.2.5). */
export const LONGEST_OPUS_PACKET_SAMPLES = 5760

const NO_SAMPLES = new Float32Array(0)

// So that a decoder is ready by the next turn of the event loop.
await loadLibopus()

/**
 * Decodes one microphone's Opus to mono at 48 kHz. libopus itself does it, since FFmpeg's wrapper passes it neither a
 * missing packet nor the wish for in-band redundancy; as WebAssembly it takes no longer. Corrupt packets cost their own
 * sound, never the process.
 */
export class OpusDecoder {
  #handle: OpusDecoderHandle | null = null
  #closed = false
  /** Duration of the last packet in samples; 0 before the first. */
  #packetSamples = 0

  /** Ready by the next turn of the event loop; until then it has no samples to give. */
  constructor() {
    createDecoder({ sampleRate: SAMPLE_RATE, channels: 1, maxFrameSize: LONGEST_OPUS_PACKET_SAMPLES }).then(
      (handle) => {
        if (this.#closed) handle.free()
        else this.#handle = handle
      },
      // Out of memory: this microphone stays silent.
      () => {},
    )
  }

  /** @returns the samples, -1 to 1; none when the packet is broken */
  decode(payload: Buffer): Float32Array {
    const samples = this.#run((handle) => handle.decodeFloat(payload))
    if (samples.length > 0) this.#packetSamples = samples.length
    return samples
  }

  /**
   * What a lost packet held, from the redundancy in the one after it (RFC 6716 section 2.1.7), concealed where there is
   * none. To be called before `next` is decoded for itself.
   */
  recover(next: Buffer): Float32Array {
    if (this.#packetSamples === 0) return NO_SAMPLES
    const samples = this.#run((handle) =>
      handle.decodeFloat(next, { decodeFec: true, frameSize: this.#packetSamples }),
    )
    return samples.length > 0 ? samples : this.conceal()
  }

  /** Continues the sound over a lost packet for as long as the last one was. */
  conceal(): Float32Array {
    if (this.#packetSamples === 0) return NO_SAMPLES
    return this.#run((handle) => handle.decodePacketLossFloat(this.#packetSamples))
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true
    this.#handle?.free()
    this.#handle = null
  }

  #run(decode: (handle: OpusDecoderHandle) => Float32Array): Float32Array {
    if (this.#closed) throw new Error('decoder used after it was closed')
    if (!this.#handle) return NO_SAMPLES
    try {
      return decode(this.#handle)
    } catch {
      // A fault in libopus stays inside WebAssembly.
      return NO_SAMPLES
    }
  }
}
