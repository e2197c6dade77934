import { OpusDecoder } from '../../media-worker/codecs/opus-decoder.ts'
import type { EncodedAudioPacket } from '../../media-worker/media-types.ts'

/** Decodes what a listener receives, for tests that check which tones it contains. */
export class TestListener {
  readonly #decoder = new OpusDecoder()
  readonly #heard: Float32Array[] = []
  readonly timestamps: number[] = []
  bytes = 0
  lastBytes = 0

  /** Between packets, as long as their timestamps say, nothing is heard. */
  hear(packet: EncodedAudioPacket): void {
    const before = this.#heard.at(-1)
    const missing = before ? packet.rtpTimestamp - this.timestamps.at(-1)! - before.length : 0
    if (missing > 0) this.#heard.push(new Float32Array(missing))
    this.#heard.push(Float32Array.from(this.#decoder.decode(packet.payload)))
    this.timestamps.push(packet.rtpTimestamp)
    this.lastBytes = packet.payload.length
    this.bytes += this.lastBytes
  }

  /** The sound of the last `ms` milliseconds that packets told of. */
  last(ms: number): Float32Array {
    return join(this.#heard).slice(-ms * 48)
  }

  close(): void {
    this.#decoder.close()
  }
}

export function join(parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Amplitude of one frequency in samples at 48 kHz (Goertzel's algorithm with a Hann window). */
export function toneAmplitude(pcm: Float32Array, frequency: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * frequency) / 48_000)
  let previous = 0
  let beforePrevious = 0
  for (let index = 0; index < pcm.length; index++) {
    const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / pcm.length)
    const value = pcm[index]! * window + coefficient * previous - beforePrevious
    beforePrevious = previous
    previous = value
  }
  const power = previous ** 2 + beforePrevious ** 2 - coefficient * previous * beforePrevious
  return (4 * Math.sqrt(Math.max(0, power))) / pcm.length
}
