import type { EncodedAudioPacket, EncodedVideoFrame, VideoEncoding } from '../media-types.ts'
import type { ViewerMix } from '../mixer/audio-mixer.ts'
import { MESSAGE, readHear, readLimit, readStream, writeMark, writeSound } from './feed-messages.ts'
import type { MessageStream } from './message-stream.ts'

/** How often the reader is asked how far it has read. */
const MARK_EVERY_MS = 100
/** A reader that has not read for so long gets nothing until it has read all that is under way. */
const MOST_LAG_MS = 400
/** A reader that has not read for so long is cut off. It may connect again. */
const GIVE_UP_AFTER_MS = 10_000
/** Nothing is added to more bytes than these that wait in this process. */
const MOST_UNSENT_BYTES = 2 * 2 ** 20
/** A lagging reader may ask everybody's encoder for a keyframe so often. */
const KEYFRAME_RETRY_MS = 1000
/** Different mixes of one reader. Each is an encoder. */
const MOST_MIXES = 256

export interface FeedWriterOptions {
  stream: MessageStream
  onKeyframeNeeded: (encoding: VideoEncoding) => void
  /** The slowest viewer can take so much of a stream; null where it takes the stream no more. */
  onLimit: (encoding: VideoEncoding, bitrateBps: number | null) => void
  /** Other streams of the picture are wanted than before. */
  onTakenChanged: () => void
  onHear: (mixId: number, mix: ViewerMix) => void
  onUnhear: (mixId: number) => void
  onClosed: () => void
}

/** How a stream of the picture stands with the reader. */
interface Taken {
  /** Pictures before the next keyframe are of no use. */
  awaitsKeyframe: boolean
  askedAtMs: number
}

/**
 * One worker that serves viewers of a room, as the worker sees it that mixes the room. Never waits for it: what a slow
 * reader has no time for is left out, pictures up to the next keyframe.
 */
export class FeedWriter {
  readonly #options: FeedWriterOptions
  readonly #stream: MessageStream
  readonly #taken = new Map<VideoEncoding, Taken>()
  readonly #mixes = new Set<number>()
  /** When the mark was sent that the reader has not answered yet. */
  #markedAtMs: number | null = null
  #lastMarkMs = Number.NEGATIVE_INFINITY
  #lagsSinceMs: number | null = null
  /** What was left out because the reader was too slow. */
  dropped = { pictures: 0, packets: 0 }

  constructor(options: FeedWriterOptions) {
    this.#options = options
    this.#stream = options.stream
    this.#stream.onMessage = (type, body) => this.#onMessage(type, body)
    this.#stream.onClosed = () => this.#end()
  }

  takes(encoding: VideoEncoding): boolean {
    return this.#taken.has(encoding)
  }

  /** @param message the picture as {@link writePicture} has it; called only where the reader gets it */
  sendPicture({ encoding, keyframe }: EncodedVideoFrame, message: () => Buffer, nowMs: number): void {
    const taken = this.#taken.get(encoding)
    if (!taken) return
    if (!this.#mayAdd(nowMs)) {
      taken.awaitsKeyframe = true
      this.dropped.pictures++
      return
    }
    if (taken.awaitsKeyframe && !keyframe) {
      if (nowMs - taken.askedAtMs > KEYFRAME_RETRY_MS) this.#askKeyframe(encoding, taken, nowMs)
      return
    }
    taken.awaitsKeyframe = false
    this.#stream.send(message())
  }

  sendSound(mixId: number, packet: EncodedAudioPacket, nowMs: number): void {
    if (this.#mayAdd(nowMs)) this.#stream.send(writeSound(mixId, packet))
    else this.dropped.packets++
  }

  close(): void {
    this.#stream.close()
  }

  /** Whether the reader keeps pace. Asks it from time to time. */
  #mayAdd(nowMs: number): boolean {
    if (this.#markedAtMs === null) {
      if (nowMs - this.#lastMarkMs >= MARK_EVERY_MS) this.#mark(nowMs)
    } else if (nowMs - this.#markedAtMs > MOST_LAG_MS) {
      this.#lagsSinceMs ??= this.#markedAtMs
    }
    if (this.#lagsSinceMs === null) return this.#stream.unsentBytes < MOST_UNSENT_BYTES
    if (nowMs - this.#lagsSinceMs > GIVE_UP_AFTER_MS) this.close()
    return false
  }

  #mark(nowMs: number): void {
    this.#markedAtMs = nowMs
    this.#lastMarkMs = nowMs
    this.#stream.send(writeMark('mark'))
  }

  /** The reader has come to the mark. After a lag it has to read what was sent since, too. */
  #onMarked(): void {
    if (this.#markedAtMs === null) throw new RangeError('nothing was marked')
    const nowMs = performance.now()
    const isPrompt = nowMs - this.#markedAtMs <= MOST_LAG_MS
    this.#markedAtMs = null
    if (this.#lagsSinceMs === null) return
    if (isPrompt) this.#lagsSinceMs = null
    else this.#mark(nowMs)
  }

  #onMessage(type: number, body: Buffer): void {
    if (type === MESSAGE.marked) this.#onMarked()
    else if (type === MESSAGE.take) this.#take(readStream(body))
    else if (type === MESSAGE.leave) this.#leave(readStream(body))
    else if (type === MESSAGE.keyframe) this.#options.onKeyframeNeeded(readStream(body))
    else if (type === MESSAGE.limit) this.#limit(body)
    else if (type === MESSAGE.hear) this.#hear(body)
    else if (type === MESSAGE.unhear) this.#unhear(body.readUInt16BE(0))
    else throw new RangeError(`no message ${type}`)
  }

  #take(encoding: VideoEncoding): void {
    if (this.#taken.has(encoding)) return
    const taken: Taken = { awaitsKeyframe: true, askedAtMs: 0 }
    this.#taken.set(encoding, taken)
    this.#options.onTakenChanged()
    this.#askKeyframe(encoding, taken, performance.now())
  }

  #leave(encoding: VideoEncoding): void {
    if (!this.#taken.delete(encoding)) return
    this.#options.onLimit(encoding, null)
    this.#options.onTakenChanged()
  }

  #limit(body: Buffer): void {
    const { encoding, bitrateBps } = readLimit(body)
    if (this.#taken.has(encoding)) this.#options.onLimit(encoding, bitrateBps)
  }

  #askKeyframe(encoding: VideoEncoding, taken: Taken, nowMs: number): void {
    taken.askedAtMs = nowMs
    this.#options.onKeyframeNeeded(encoding)
  }

  #hear(body: Buffer): void {
    const { mixId, ...mix } = readHear(body)
    if (this.#mixes.has(mixId) || this.#mixes.size >= MOST_MIXES) throw new RangeError('too many mixes')
    this.#mixes.add(mixId)
    this.#options.onHear(mixId, mix)
  }

  #unhear(mixId: number): void {
    if (this.#mixes.delete(mixId)) this.#options.onUnhear(mixId)
  }

  #end(): void {
    for (const mixId of this.#mixes) this.#options.onUnhear(mixId)
    this.#mixes.clear()
    for (const encoding of this.#taken.keys()) this.#options.onLimit(encoding, null)
    this.#taken.clear()
    this.#options.onTakenChanged()
    this.#options.onClosed()
  }
}
