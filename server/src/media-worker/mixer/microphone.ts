import { OpusDecoder } from '../codecs/opus-decoder.ts'
import type { AudioPull, AudioSource } from '../media-types.ts'
import type { LipSync } from './lip-sync.ts'
import { MicrophoneQueue, TICK_SAMPLES } from './microphone-queue.ts'
import { levelDb } from './volume.ts'

/** Packets decoded in one tick at most. Packets may be as short as 2.5 ms, and must not keep the mixer busy for ever. */
const MAX_PULLS = 8
/** Below this level, leaving out or repeating 20 ms cannot be heard. */
const QUIET_DB = -55

/** One microphone in the mix: pulls its packets, decodes them, and has 20 ms for each tick. */
export class Microphone {
  readonly memberId: string
  /** What it has for this tick, -1 to 1; meaningful where `render` returned a level. */
  readonly pcm = new Float32Array(TICK_SAMPLES)
  readonly #source: AudioSource
  readonly #lipSync: LipSync | null
  readonly #decoder = new OpusDecoder()
  #queue: MicrophoneQueue | null = null
  #lastLevelDb = Number.NEGATIVE_INFINITY

  constructor(memberId: string, source: AudioSource, lipSync: LipSync | null) {
    this.memberId = memberId
    this.#source = source
    this.#lipSync = lipSync
  }

  /** Takes what is due out of the jitter buffer and throws it away. */
  discard(nowMs: number): void {
    this.#source.pull(nowMs)
    this.#forget()
  }

  /** Fills `pcm`. @returns its level in dBFS; -Infinity, and `pcm` is not touched, when there is nothing to hear */
  render(nowMs: number): number {
    this.#fetch(nowMs)
    const queue = this.#queue
    if (!queue || queue.audible <= 0) {
      this.#lastLevelDb = Number.NEGATIVE_INFINITY
      return this.#lastLevelDb
    }
    queue.pull(this.pcm)
    clampToFullScale(this.pcm)
    const level = levelDb(this.pcm)
    // A broken packet may decode to what is no number.
    this.#lastLevelDb = Number.isNaN(level) ? Number.NEGATIVE_INFINITY : level
    return this.#lastLevelDb
  }

  /** Frees the decoder. */
  close(): void {
    this.#decoder.close()
    this.#queue = null
    this.#lipSync?.endOfSound(this.memberId)
  }

  #fetch(nowMs: number): void {
    const wantedHoldMs = this.#lipSync?.soundHoldMs(this.memberId) ?? 0
    if (this.#lastLevelDb < QUIET_DB) this.#queue?.adjustHold(wantedHoldMs)
    for (let pulls = 0; pulls < MAX_PULLS && (this.#queue?.missing ?? TICK_SAMPLES) > 0; pulls++) {
      const pull = this.#source.pull(nowMs)
      if (pull.kind === 'silence') {
        this.#queue?.pushSilence()
        return
      }
      const samples = this.#decode(pull, nowMs)
      // Broken from the start, nothing to conceal with.
      if (samples.length === 0) return
      this.#queue ??= new MicrophoneQueue()
      if (this.#queue.audible <= 0) this.#queue.restart(wantedHoldMs)
      this.#queue.push(samples)
    }
  }

  #decode(pull: AudioPull, nowMs: number): Float32Array {
    if (pull.kind === 'fec') return this.#decoder.recover(pull.next)
    if (pull.kind !== 'packet') return this.#decoder.conceal()
    if (pull.capturedAtMs !== null) this.#lipSync?.soundPulled(this.memberId, pull.capturedAtMs, nowMs)
    const samples = this.#decoder.decode(pull.payload)
    return samples.length > 0 ? samples : this.#decoder.conceal()
  }

  #forget(): void {
    this.#queue?.restart(0)
    this.#lastLevelDb = Number.NEGATIVE_INFINITY
    this.#lipSync?.endOfSound(this.memberId)
  }
}

/** A broken packet may decode to a thousand times full scale. The limiter of the mix would then turn everybody else down for a second. */
function clampToFullScale(pcm: Float32Array): void {
  for (let index = 0; index < pcm.length; index++) pcm[index] = Math.max(-1, Math.min(1, pcm[index]!))
}
