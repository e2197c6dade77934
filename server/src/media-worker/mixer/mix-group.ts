import { OpusEncoder } from '../codecs/audio-encoder.ts'
import type { EncodedAudioPacket } from '../media-types.ts'
import { Limiter } from './limiter.ts'
import { TICK_SAMPLES } from './microphone-queue.ts'
import type { Voice } from './voice.ts'

/** What makes the mixes of two listeners differ. */
export interface MixKind {
  /** The listener's own voice, which is left out. Null for the mix of listeners who are silent. */
  without: Voice | null
  /** Nothing at all is heard. */
  deaf: boolean
  /** Factor of the listener's output volume. */
  gain: number
  /** One of the classes of {@link ExpectedLoss}. */
  lossPercent: number
}

export interface MixGroupOptions {
  /** Shared by all groups: filled in and lent for each call of `onPacket`. */
  packet: EncodedAudioPacket
  /** One packet of each tick for each listener. */
  onPacket: (listenerId: string, packet: EncodedAudioPacket) => void
}

/** Buffer for the mix of a tick, used by one group after the other. */
const scratch = new Float32Array(TICK_SAMPLES)

/** Listeners who hear the same, and the one encoder they share. */
export class MixGroup {
  readonly kind: MixKind
  readonly #encoder: OpusEncoder
  readonly #limiter = new Limiter()
  readonly #listeners = new Set<string>()
  readonly #packet: EncodedAudioPacket
  readonly #onPacket: (listenerId: string, packet: EncodedAudioPacket) => void

  constructor(kind: MixKind, { packet, onPacket }: MixGroupOptions) {
    this.kind = { ...kind }
    this.#packet = packet
    this.#onPacket = onPacket
    this.#encoder = new OpusEncoder(kind.lossPercent)
  }

  get size(): number {
    return this.#listeners.size
  }

  add(listenerId: string): void {
    this.#listeners.add(listenerId)
  }

  remove(listenerId: string): void {
    this.#listeners.delete(listenerId)
  }

  /** Encodes one tick and gives it to each listener. @param all the sum of all voices; left as it is */
  deliver(all: Float32Array): void {
    this.#mix(all)
    this.#encoder.encode(scratch, this.#give)
  }

  close(): void {
    this.#encoder.close()
  }

  readonly #give = (payload: Buffer): void => {
    this.#packet.payload = payload
    for (const listenerId of this.#listeners) this.#onPacket(listenerId, this.#packet)
  }

  #mix(all: Float32Array): void {
    const { without, deaf, gain } = this.kind
    if (deaf || gain === 0) {
      scratch.fill(0)
      return
    }
    const own = without?.sounding ? without.pcm : null
    if (own)
      for (let index = 0; index < TICK_SAMPLES; index++) scratch[index] = (all[index]! - own[index]!) * gain
    else if (gain !== 1)
      for (let index = 0; index < TICK_SAMPLES; index++) scratch[index] = all[index]! * gain
    else scratch.set(all)
    this.#limiter.process(scratch)
  }
}

export function sameKind(a: MixKind, b: MixKind): boolean {
  return a.without === b.without && a.deaf === b.deaf && a.gain === b.gain && a.lossPercent === b.lossPercent
}
