import { OpusEncoder } from '../../media-worker/codecs/audio-encoder.ts'
import type { AudioPull, AudioSource } from '../../media-worker/media-types.ts'

/** A test microphone that hears a steady tone. Its packets are really encoded, and can be lost. */
export class ToneMicrophone implements AudioSource {
  readonly #encoder = new OpusEncoder({ expectedLossPercent: 0, packetMs: 20 })
  readonly #pcm = new Float32Array(960)
  #position = 0
  /**
   * Kind of the next packets: a packet, nothing (as from a muted or silent sender), a loss, or a loss with the next
   * packet for FEC.
   */
  sending: 'packet' | 'silence' | 'lost' | 'fec' = 'packet'
  frequency: number
  /** 0 to 1. */
  amplitude: number
  /** Age of a packet in milliseconds when it is pulled. */
  ageMs: number | null

  constructor(frequency: number, amplitude = 0.3, ageMs: number | null = 60) {
    this.frequency = frequency
    this.amplitude = amplitude
    this.ageMs = ageMs
  }

  pull(nowMs: number): AudioPull {
    if (this.sending === 'silence') return { kind: 'silence' }
    const capturedAtMs = this.ageMs === null ? null : nowMs - this.ageMs
    const payload = this.#encode(capturedAtMs ?? nowMs)
    if (this.sending === 'lost') return { kind: 'lost' }
    return this.sending === 'fec' ? { kind: 'fec', next: payload } : { kind: 'packet', payload, capturedAtMs }
  }

  /** Fills in the 20 ms of sound from `capturedAtMs` on. Tests that need more than a tone override it. */
  listen(pcm: Float32Array, _capturedAtMs: number): void {
    const step = (2 * Math.PI * this.frequency) / 48_000
    for (let index = 0; index < pcm.length; index++)
      pcm[index] = this.amplitude * Math.sin(step * (this.#position + index))
    this.#position += pcm.length
  }

  close(): void {
    this.#encoder.close()
  }

  #encode(capturedAtMs: number): Buffer {
    this.listen(this.#pcm, capturedAtMs)
    let payload = Buffer.alloc(0)
    this.#encoder.encode(this.#pcm, (data) => {
      payload = Buffer.from(data)
    })
    return payload
  }
}
