import type { Stream } from 'node-av/lib'
import { FileAudioDecoder } from '../codecs/file-audio-decoder.ts'
import type { DemuxedPacket } from '../codecs/media-demuxer.ts'
import { SAMPLE_RATE } from '../codecs/opus-decoder.ts'
import { TICK_SAMPLES } from '../mixer/microphone-queue.ts'
import { PcmQueue } from '../mixer/pcm-queue.ts'
import { PacketQueue } from './packet-queue.ts'

const SAMPLES_PER_MS = SAMPLE_RATE / 1000
/** Decoded ahead of what is heard: half a second. */
const WANTED_SAMPLES = SAMPLE_RATE / 2
/** Sound of one packet may be this long; more of it is cut. */
const CAPACITY = 5 * SAMPLE_RATE
/** Timestamps that are this far from the sound before are rounded. Further away there is a gap or an overlap. */
const TOLERANCE_MS = 40
/** Packets decoded at one go. Each takes less than a millisecond. */
const PACKETS_AT_ONCE = 4
/** Sound this long before the wanted place is not even decoded. A decoder needs some to find its way in. */
const RUN_IN_MS = 200
const SILENCE = new Float32Array(TICK_SAMPLES)

/** The sound of a played file, from packets to samples. All positions are those of the file, in milliseconds. */
export class SoundTrack {
  readonly #packets = new PacketQueue()
  readonly #decoder: FileAudioDecoder
  readonly #ring = new PcmQueue(CAPACITY)
  /** Position of the sample that comes next into the ring. */
  #endMs: number
  /** Decoded, and behind a gap that is still being filled with silence. */
  #pending: { pcm: Float32Array; atMs: number }[] = []
  #finished = false
  #flushed = false

  /** @throws Error when there is no decoder for it */
  constructor(stream: Stream, positionMs: number) {
    this.#decoder = new FileAudioDecoder(stream)
    this.#endMs = positionMs
  }

  get packets(): { readonly length: number; readonly sizeInBytes: number } {
    return this.#packets
  }

  /** Not even a tick is left to hear now. */
  get isEmpty(): boolean {
    return this.#ring.length < TICK_SAMPLES && this.#packets.length === 0 && this.#pending.length === 0
  }

  /** A tick can be heard now, or nothing will ever come. */
  get isReady(): boolean {
    return this.#ring.length >= TICK_SAMPLES || this.isOver
  }

  /** All of it has been heard, but for what is shorter than a tick. */
  get isOver(): boolean {
    return this.#flushed && this.#ring.length < TICK_SAMPLES && this.#pending.length === 0
  }

  push(packet: DemuxedPacket): void {
    this.#packets.push(packet)
  }

  /** No more packets will come. */
  finish(): void {
    this.#finished = true
  }

  /** Decodes what is needed soon. @returns whether it stopped before it was done */
  fill(): boolean {
    for (let count = 0; this.#ring.length < WANTED_SAMPLES; count++) {
      this.#place()
      if (this.#pending.length > 0) return false
      if (count === PACKETS_AT_ONCE) return true
      const packet = this.#packets.shift()
      if (!packet) {
        if (this.#finished && !this.#flushed) this.#flush()
        return false
      }
      if (packet.atMs + packet.durationMs > this.#endMs - RUN_IN_MS)
        this.#decoder.decode(packet.packet, this.#keep)
      packet.packet.free()
    }
    return false
  }

  /** Takes the tick that is heard at `positionMs`. @returns whether there is anything to hear */
  pull(positionMs: number, target: Float32Array): boolean {
    const lateMs = positionMs - (this.#endMs - this.#ring.length / SAMPLES_PER_MS)
    // A tick was left out, or there was none to hear.
    if (lateMs > TOLERANCE_MS) this.#ring.drop(Math.round(lateMs * SAMPLES_PER_MS))
    if (lateMs < -TOLERANCE_MS || this.#ring.length === 0) return false
    this.#ring.pull(target)
    return true
  }

  close(): void {
    this.#packets.clear()
    this.#decoder.close()
  }

  #flush(): void {
    this.#flushed = true
    this.#decoder.decode(null, this.#keep)
    this.#place()
  }

  readonly #keep = (pcm: Float32Array, atMs: number): void => {
    this.#pending.push({ pcm: Float32Array.from(pcm), atMs })
  }

  /** Moves what is decoded into the ring, at its place. */
  #place(): void {
    for (let next = this.#pending[0]; next; next = this.#pending[0]) {
      const gapMs = next.atMs - this.#endMs
      if (gapMs > TOLERANCE_MS) {
        if (this.#ring.length >= WANTED_SAMPLES) return
        this.#append(SILENCE)
        continue
      }
      const early = gapMs < -TOLERANCE_MS ? Math.round(-gapMs * SAMPLES_PER_MS) : 0
      if (early < next.pcm.length) this.#append(next.pcm.subarray(early))
      this.#pending.shift()
    }
  }

  #append(pcm: Float32Array): void {
    this.#ring.push(pcm)
    this.#endMs += pcm.length / SAMPLES_PER_MS
  }
}
