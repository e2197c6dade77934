import { TICK_SAMPLES } from './microphone-queue.ts'

/** After its last sound a voice keeps a mix of its own this long: changing the encoder can be heard, so do it seldom. */
const OWN_MIX_TICKS = 500

/**
 * What one person adds to the mix, by however many microphones, screens and devices. None of it goes back to that person.
 */
export class Voice {
  /** The sum of this tick; meaningful while `sounding`. */
  readonly pcm = new Float32Array(TICK_SAMPLES)
  #sounding = false
  #ownMixTicks = 0

  /** There is something to hear in this tick. */
  get sounding(): boolean {
    return this.#sounding
  }

  /** The person must not get the mix of those who are silent. */
  get needsOwnMix(): boolean {
    return this.#ownMixTicks > 0
  }

  /** To be called before the microphones of a tick are added. */
  startTick(): void {
    this.#sounding = false
    if (this.#ownMixTicks > 0) this.#ownMixTicks--
  }

  add(pcm: Float32Array, gain: number): void {
    const sum = this.pcm
    if (this.#sounding)
      for (let index = 0; index < TICK_SAMPLES; index++) sum[index] = sum[index]! + pcm[index]! * gain
    else for (let index = 0; index < TICK_SAMPLES; index++) sum[index] = pcm[index]! * gain
    this.#sounding = true
    this.#ownMixTicks = OWN_MIX_TICKS
  }
}
