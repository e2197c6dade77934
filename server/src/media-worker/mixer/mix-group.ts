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
  /** Fewer, longer packets, for a listener who cannot talk back: nobody notices that they come 40 ms later. */
  longPackets: boolean
}

export interface MixGroupOptions {
  /** Shared by all groups: filled in and lent for each call of `onPacket`. */
  packet: EncodedAudioPacket
  /** One packet for each listener, unless there is only silence to send. */
  onPacket: (listenerId: string, packet: EncodedAudioPacket) => void
}

const TICKS_OF_LONG_PACKET = 3

/** Listeners who hear the same, and the one encoder they share. */
export class MixGroup {
  readonly kind: MixKind
  readonly #encoder: OpusEncoder
  readonly #limiter = new Limiter()
  readonly #listeners = new Set<string>()
  readonly #packet: EncodedAudioPacket
  readonly #onPacket: (listenerId: string, packet: EncodedAudioPacket) => void
  /** The mix of the packet that is being gathered. */
  readonly #pcm: Float32Array
  /** The same, a view for each tick. */
  readonly #ticks: Float32Array[]
  #gathered = 0
  #rtpTimestamp = 0
  #capturedAtMs = 0

  constructor(kind: MixKind, { packet, onPacket }: MixGroupOptions) {
    this.kind = { ...kind }
    this.#packet = packet
    this.#onPacket = onPacket
    this.#encoder = new OpusEncoder({
      expectedLossPercent: kind.lossPercent,
      packetMs: kind.longPackets ? 60 : 20,
    })
    const ticks = kind.longPackets ? TICKS_OF_LONG_PACKET : 1
    this.#pcm = new Float32Array(ticks * TICK_SAMPLES)
    this.#ticks = Array.from({ length: ticks }, (_, tick) =>
      this.#pcm.subarray(tick * TICK_SAMPLES, (tick + 1) * TICK_SAMPLES),
    )
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

  /**
   * Takes one tick; a packet that it completes is given to each listener.
   * @param all the sum of all voices; left as it is
   */
  deliver(all: Float32Array): void {
    const { rtpTimestamp, capturedAtMs } = this.#packet
    // A tick was left out: a packet has no gap inside.
    if (rtpTimestamp !== this.#rtpTimestamp + this.#gathered * TICK_SAMPLES) this.#gathered = 0
    if (this.#gathered === 0) {
      this.#rtpTimestamp = rtpTimestamp
      this.#capturedAtMs = capturedAtMs
    }
    this.#mix(all, this.#ticks[this.#gathered]!)
    this.#gathered++
    if (this.#gathered < this.#ticks.length) return
    this.#gathered = 0
    this.#encoder.encode(this.#pcm, this.#give)
  }

  close(): void {
    this.#encoder.close()
  }

  /** Other groups read the packet's times after this one, so they are put back. */
  readonly #give = (payload: Buffer): void => {
    const packet = this.#packet
    const { rtpTimestamp, capturedAtMs } = packet
    packet.payload = payload
    packet.rtpTimestamp = this.#rtpTimestamp
    packet.capturedAtMs = this.#capturedAtMs
    for (const listenerId of this.#listeners) this.#onPacket(listenerId, packet)
    packet.rtpTimestamp = rtpTimestamp
    packet.capturedAtMs = capturedAtMs
  }

  #mix(all: Float32Array, target: Float32Array): void {
    const { without, deaf, gain } = this.kind
    if (deaf || gain === 0) {
      target.fill(0)
      return
    }
    const own = without?.sounding ? without.pcm : null
    if (own)
      for (let index = 0; index < TICK_SAMPLES; index++) target[index] = (all[index]! - own[index]!) * gain
    else if (gain !== 1) for (let index = 0; index < TICK_SAMPLES; index++) target[index] = all[index]! * gain
    else target.set(all)
    this.#limiter.process(target)
  }
}

/** Whether two listeners hear the same, and so can share one encoder. */
export function sameKind(a: MixKind, b: MixKind): boolean {
  return (
    a.without === b.without &&
    a.deaf === b.deaf &&
    a.gain === b.gain &&
    a.lossPercent === b.lossPercent &&
    a.longPackets === b.longPackets
  )
}
