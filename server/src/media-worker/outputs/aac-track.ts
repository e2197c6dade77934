import type { AacEncoder } from '../codecs/audio-encoder.ts'

export interface AacTrackOptions {
  encoder: AacEncoder
  /** One AAC packet; `timestamp` and `duration` in samples. `data` is lent for the call. */
  onPacket: (data: Buffer, timestamp: number, duration: number) => void
}

/** The mix comes on an exact 20 ms grid; less than this is rounding. */
const TOLERANCE_SAMPLES = 48

/**
 * Turns the mix into the one continuous AAC track of a file: every packet follows the one before, missing sound is filled
 * with silence, sound from before the start or written twice is cut.
 */
export class AacTrack {
  readonly #encoder: AacEncoder
  readonly #onPacket: AacTrackOptions['onPacket']
  /** The frame being filled. */
  readonly #frame: Float32Array
  #filled = 0
  #samplesWritten = 0
  #packets = 0
  #closed = false

  constructor({ encoder, onPacket }: AacTrackOptions) {
    this.#encoder = encoder
    this.#onPacket = onPacket
    this.#frame = new Float32Array(encoder.frameSamples)
  }

  /** AudioSpecificConfig. */
  get header(): Buffer {
    return this.#encoder.header
  }

  /** Where the track ends. */
  get samplesWritten(): number {
    return this.#samplesWritten
  }

  /** @param position in the track at which `pcm` belongs, in samples; may be negative */
  write(pcm: Float32Array, position: number): void {
    if (this.#closed) return
    const ahead = position - this.#samplesWritten
    if (ahead > TOLERANCE_SAMPLES) this.#fill(null, 0, ahead)
    const skip = ahead < -TOLERANCE_SAMPLES ? -ahead : 0
    if (skip < pcm.length) this.#fill(pcm, skip, pcm.length - skip)
  }

  /** Delivers what is not delivered yet. */
  finish(): void {
    if (this.#closed) return
    const end = this.#samplesWritten
    if (this.#filled > 0) this.#fill(null, 0, this.#frame.length - this.#filled)
    this.#samplesWritten = end
    this.#encoder.flush(this.#deliver)
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true
    this.#encoder.close()
  }

  #fill(pcm: Float32Array | null, from: number, count: number): void {
    let at = from
    const end = from + count
    while (at < end) {
      const take = Math.min(end - at, this.#frame.length - this.#filled)
      if (pcm) this.#frame.set(pcm.subarray(at, at + take), this.#filled)
      else this.#frame.fill(0, this.#filled, this.#filled + take)
      this.#filled += take
      this.#samplesWritten += take
      at += take
      if (this.#filled === this.#frame.length) {
        this.#filled = 0
        this.#encoder.encode(this.#frame, this.#deliver)
      }
    }
  }

  /**
   * The encoder is one frame late: its first packet holds nothing, and each later one ends what it was given a frame ago.
   * Without the first, packet k starts at exactly k frames, and the file needs no edit list to be in sync.
   */
  readonly #deliver = (data: Buffer): void => {
    const timestamp = (this.#packets++ - 1) * this.#frame.length
    if (timestamp < 0 || timestamp >= this.#samplesWritten) return
    this.#onPacket(data, timestamp, Math.min(this.#frame.length, this.#samplesWritten - timestamp))
  }
}
