import type { Stream } from 'node-av/lib'
import { TokenBucket } from '../../token-bucket.ts'
import { FileVideoDecoder, type TimedPicture } from '../codecs/file-video-decoder.ts'
import type { DemuxedPacket } from '../codecs/media-demuxer.ts'
import type { DecodedPicture } from '../codecs/video-decoder.ts'
import { PacketQueue } from './packet-queue.ts'

/** Pictures decoded ahead: 200 ms of 30 a second. A large one takes ten megabytes. */
const MOST_WAITING = 6
/** Decoding that is so far behind leaves pictures out, up to one that needs none before it. */
const LATE_MS = 500
/** Pixels decoded per second, and in a burst, for one file: twice a 1080p video of 30 pictures a second. */
const PIXELS_PER_SECOND = 124e6
const PIXELS_AT_ONCE = 240e6

/** The picture of a played file, from packets to pictures. All positions are those of the file, in milliseconds. */
export class PictureTrack {
  readonly #packets = new PacketQueue()
  readonly #decoder: FileVideoDecoder
  readonly #budget = new TokenBucket(PIXELS_AT_ONCE, PIXELS_PER_SECOND)
  readonly #onDecoded: () => void
  /** In order, to be shown. */
  #waiting: TimedPicture[] = []
  /** The last one before the place from which it is to be shown. */
  #before: TimedPicture | null = null
  readonly #fromMs: number
  #shown: DecodedPicture | null
  #version = 0
  #decoding: Promise<void> | null = null
  #finished = false
  #flushed = false
  #closed = false

  /**
   * @param positionMs pictures from here on are shown
   * @param shown is shown until there is one
   * @param onDecoded there may be more to decode
   * @throws Error when there is no decoder for it
   */
  constructor(
    stream: Stream,
    {
      positionMs,
      shown,
      onDecoded,
    }: { positionMs: number; shown: DecodedPicture | null; onDecoded: () => void },
  ) {
    this.#decoder = new FileVideoDecoder(stream)
    this.#fromMs = positionMs
    this.#shown = shown
    this.#onDecoded = onDecoded
  }

  get packets(): { readonly length: number; readonly sizeInBytes: number } {
    return this.#packets
  }

  /** What the tile shows. Lent until the next call of any other method. */
  get picture(): DecodedPicture | null {
    return this.#shown
  }

  /** Changes with every new `picture`. */
  get version(): number {
    return this.#version
  }

  /** Nothing is left to show after the present picture. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#packets.length === 0 && this.#decoding === null
  }

  /** A picture can be shown now, or none will ever come. */
  get isReady(): boolean {
    return this.#waiting.length > 0 || this.isOver
  }

  /** The last picture is shown. */
  get isOver(): boolean {
    return this.#flushed && this.isEmpty
  }

  push(packet: DemuxedPacket): void {
    this.#packets.push(packet)
  }

  /** No more packets will come. */
  finish(): void {
    this.#finished = true
  }

  /** Decodes what is needed soon. @param positionMs what is shown now */
  fill(nowMs: number, positionMs: number): void {
    if (this.#decoding || this.#closed || this.#waiting.length >= MOST_WAITING) return
    if (!this.#budget.has(nowMs, 0)) return
    const first = this.#packets.first
    if (first && positionMs > this.#fromMs && first.atMs < positionMs - LATE_MS)
      this.#packets.skipToKeyframe(positionMs)
    const packet = this.#packets.shift()
    if (!packet && (!this.#finished || this.#flushed)) return
    if (!packet) this.#flushed = true
    this.#decoding = this.#decode(packet ?? null, nowMs).finally(() => {
      this.#decoding = null
      if (this.#closed) this.#free()
      else this.#onDecoded()
    })
  }

  /** Moves on to the newest picture that is due at `positionMs`. */
  advance(positionMs: number): void {
    while (this.#waiting[0] && this.#waiting[0].atMs <= positionMs) {
      this.#shown?.release()
      this.#shown = this.#waiting.shift()?.picture ?? null
      this.#version++
    }
  }

  /** Takes the present picture away, for the track that goes on from another place. The caller releases it. */
  takeShown(): DecodedPicture | null {
    const shown = this.#shown
    this.#shown = null
    return shown
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    if (!this.#decoding) this.#free()
  }

  async #decode(packet: DemuxedPacket | null, nowMs: number): Promise<void> {
    try {
      for (const { picture, atMs } of await this.#decoder.decode(packet?.packet ?? null)) {
        this.#budget.charge(nowMs, picture.width * picture.height)
        if (this.#closed) picture.release()
        else this.#take({ picture, atMs })
      }
    } finally {
      packet?.packet.free()
    }
    if (this.#flushed) this.#releaseBefore(true)
  }

  #take(timed: TimedPicture): void {
    if (timed.atMs < this.#fromMs) {
      this.#before?.picture.release()
      this.#before = timed
      return
    }
    this.#releaseBefore(timed.atMs > this.#fromMs)
    this.#waiting.push(timed)
  }

  #releaseBefore(isShown: boolean): void {
    if (!this.#before) return
    if (isShown) this.#waiting.push(this.#before)
    else this.#before.picture.release()
    this.#before = null
  }

  #dropWaiting(): void {
    for (const { picture } of this.#waiting) picture.release()
    this.#waiting = []
    this.#releaseBefore(false)
  }

  #free(): void {
    this.#packets.clear()
    this.#dropWaiting()
    this.#shown?.release()
    this.#shown = null
    this.#version++
    this.#decoder.close()
  }
}
