import { LONGEST_OPUS_PACKET_SAMPLES } from '../codecs/opus-decoder.ts'
import { PcmQueue } from './pcm-queue.ts'

/** 20 ms. */
export const TICK_SAMPLES = 960
const TICK_MS = 20
const MAX_HOLD_TICKS = 10
/** A hold within this distance of the wanted one is not changed. */
const HOLD_TOLERANCE_MS = 15
const CAPACITY = LONGEST_OPUS_PACKET_SAMPLES + (MAX_HOLD_TICKS + 2) * TICK_SAMPLES

const SILENT_TICK = new Float32Array(TICK_SAMPLES)

/**
 * The decoded sound of one microphone. It is as short as its packets allow, unless the member's pictures are so late that
 * the sound has to wait for them: then that many ticks more.
 */
export class MicrophoneQueue {
  readonly #pcm = new PcmQueue(CAPACITY)
  #holdTicks = 0
  #audible = 0

  /** Samples up to the last that is not silence by itself; 0 or less when nothing is left to hear. */
  get audible(): number {
    return this.#audible
  }

  /** Samples that the next tick lacks. */
  get missing(): number {
    return TICK_SAMPLES * (1 + this.#holdTicks) - this.#pcm.length
  }

  push(samples: Float32Array): void {
    this.#pcm.push(samples)
    this.#audible = this.#pcm.length
  }

  /** Nothing was sent for this tick: what is queued still takes its time. */
  pushSilence(): void {
    if (this.#audible > 0) this.#pcm.push(SILENT_TICK)
  }

  /** Takes one tick. */
  pull(target: Float32Array): void {
    this.#pcm.pull(target)
    this.#audible -= target.length
  }

  /** Throws everything away; what comes next waits `holdMs`. */
  restart(holdMs: number): void {
    this.#pcm.drop(this.#pcm.length)
    this.#audible = 0
    this.#holdTicks = ticksOf(holdMs)
    for (let tick = 0; tick < this.#holdTicks; tick++) this.#pcm.push(SILENT_TICK)
  }

  /** Goes one tick towards `holdMs`, by repeating or leaving out a tick of what must be next to silence. */
  adjustHold(holdMs: number): void {
    if (Math.abs(holdMs - this.#holdTicks * TICK_MS) < HOLD_TOLERANCE_MS) return
    const wanted = ticksOf(holdMs)
    if (wanted < this.#holdTicks) {
      this.#holdTicks--
      this.#pcm.drop(TICK_SAMPLES)
      this.#audible -= TICK_SAMPLES
    } else if (wanted > this.#holdTicks && this.#audible > 0) {
      this.#holdTicks++
      this.push(SILENT_TICK)
    }
  }
}

function ticksOf(holdMs: number): number {
  return Math.min(MAX_HOLD_TICKS, Math.round(holdMs / TICK_MS))
}
