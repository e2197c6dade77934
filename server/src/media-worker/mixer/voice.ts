import { TICK_SAMPLES } from './microphone-queue.ts'

/** A voice keeps its own mix this long after its last sound, because a change of encoder can be heard. */
const OWN_MIX_TICKS = 500

/**
 * The sound of one person: the sum of all their microphones, screens and devices. The person does not hear it.
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

  /** Whether the person needs a mix without their own sound. */
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
