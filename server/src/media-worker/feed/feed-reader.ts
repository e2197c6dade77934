import { connect } from 'node:net'
import type { Logger } from 'pino'
import type { Guard } from '../../containment.ts'
import type { FeedAddress, FeedKey } from '../../media/channel.ts'
import { TokenBucket } from '../../token-bucket.ts'
import type { EncodedAudioPacket, EncodedVideoFrame, VideoEncoding } from '../media-types.ts'
import type { ViewerMix } from '../mixer/audio-mixer.ts'
import { greetWriter, MOST_GREETING_BYTES } from './feed-greeting.ts'
import {
  MESSAGE,
  readPicture,
  readSound,
  writeHear,
  writeLimit,
  writeMark,
  writeStreamRequest,
  writeUnhear,
} from './feed-messages.ts'
import { MessageStream } from './message-stream.ts'

/** Between two attempts to connect. */
const RETRY_MS = 200
/** A feed that has not come back for so long is lost. */
const LOST_AFTER_MS = 5000
/** The same before the first connection: somebody waits for an answer. */
const MISSING_AFTER_MS = 1000
/** A feed that is interrupted more often is lost, too. */
const INTERRUPTIONS_AT_ONCE = 5
const INTERRUPTIONS_PER_SECOND = 0.1
/** A keyframe that was asked for and has not come is asked for again, if somebody still wants one. */
const KEYFRAME_RETRY_MS = 1000

export interface FeedReaderOptions {
  feed: FeedKey & FeedAddress
  log: Logger
  guard: Guard
  /** One picture of a stream that is taken. Lent for the call; its times are of this process's clock. */
  onPicture: (frame: EncodedVideoFrame) => void
  /** One packet of a mix. Lent for the call; its times are of this process's clock. */
  onSound: (mixId: number, packet: EncodedAudioPacket) => void
  /** The feed is gone for good. Called once, and not after {@link FeedReader.close}. */
  onLost: () => void
}

/**
 * Picture and sound of a room that another worker mixes. Only what is asked for comes. A connection that breaks is made
 * again, and everything is asked for again.
 */
export class FeedReader {
  /** Resolves with the first connection. Rejects where there is none. */
  readonly connected: Promise<void>
  readonly #options: FeedReaderOptions
  readonly #taken = new Set<VideoEncoding>()
  readonly #limitsBps = new Map<VideoEncoding, number>()
  readonly #mixes = new Map<number, ViewerMix>()
  /** When a keyframe was asked for that has not come yet. */
  readonly #keyframeAskedAtMs = new Map<VideoEncoding, number>()
  readonly #frame: EncodedVideoFrame
  readonly #packet: EncodedAudioPacket
  readonly #handle: (type: number, body: Buffer) => void
  #lastMixId = 0
  #connection: MessageStream | null = null
  #isGreeted = false
  readonly #interruptions = new TokenBucket(INTERRUPTIONS_AT_ONCE, INTERRUPTIONS_PER_SECOND)
  /** Since when there is no connection. */
  #aloneSinceMs = performance.now()
  /** Kept over all connections, so that the timestamps of viewers stay tied to the same clock. */
  #clockOffsetMs: number | null = null
  #retry: NodeJS.Timeout | null = null
  #settle: { resolve: () => void; reject: (error: Error) => void } | null = null
  #closed = false

  constructor(options: FeedReaderOptions) {
    this.#options = options
    const times = { rtpTimestamp: 0, capturedAtMs: 0 }
    this.#frame = { encoding: 'H264', data: Buffer.alloc(0), keyframe: false, ...times }
    this.#packet = { payload: Buffer.alloc(0), ...times }
    this.#handle = options.guard('feed', (type, body) => this.#onMessage(type, body))
    this.connected = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.connected.catch(() => {})
    this.#connect()
  }

  /** Which streams of the picture are wanted. */
  setTaken(encoding: VideoEncoding, isTaken: boolean): void {
    if (this.#taken.has(encoding) === isTaken) return
    if (isTaken) this.#taken.add(encoding)
    else this.#taken.delete(encoding)
    this.#keyframeAskedAtMs.delete(encoding)
    if (!isTaken) this.#send(writeStreamRequest('leave', encoding))
    else if (this.#isGreeted && this.#connection) this.#take(this.#connection, encoding)
  }

  /** Requests are merged until a keyframe has come. A stream that is taken begins with one by itself. */
  requestKeyframe(encoding: VideoEncoding): void {
    const nowMs = performance.now()
    if (!this.#taken.has(encoding)) return
    if (nowMs - (this.#keyframeAskedAtMs.get(encoding) ?? Number.NEGATIVE_INFINITY) < KEYFRAME_RETRY_MS)
      return
    this.#keyframeAskedAtMs.set(encoding, nowMs)
    this.#send(writeStreamRequest('keyframe', encoding))
  }

  /** What the slowest viewer here can take of a stream. */
  limit(encoding: VideoEncoding, bitrateBps: number): void {
    this.#limitsBps.set(encoding, bitrateBps)
    if (this.#taken.has(encoding)) this.#send(writeLimit(encoding, bitrateBps))
  }

  /** Asks for a mix. @returns its number, which `onSound` gets */
  hear(mix: ViewerMix): number {
    do this.#lastMixId = (this.#lastMixId + 1) & 0xffff
    while (this.#mixes.has(this.#lastMixId))
    this.#mixes.set(this.#lastMixId, mix)
    this.#send(writeHear(this.#lastMixId, mix))
    return this.#lastMixId
  }

  unhear(mixId: number): void {
    if (this.#mixes.delete(mixId)) this.#send(writeUnhear(mixId))
  }

  /** Idempotent. */
  close(): void {
    this.#closed = true
    if (this.#retry) clearTimeout(this.#retry)
    this.#connection?.close()
    this.#settle?.reject(new Error('the feed was closed'))
    this.#settle = null
  }

  #connect(): void {
    const { feed } = this.#options
    const socket = connect({ host: feed.host, port: feed.port, noDelay: true })
    socket.setKeepAlive(true, 5000)
    const stream = new MessageStream(socket, MOST_GREETING_BYTES)
    this.#connection = stream
    const key = { feedId: feed.feedId, secret: Buffer.from(feed.secret, 'hex') }
    greetWriter(stream, key, (clockOffsetMs) => this.#begin(stream, clockOffsetMs))
    const stopWaiting = stream.onClosed
    stream.onClosed = () => {
      stopWaiting()
      this.#onClosed()
    }
  }

  #begin(stream: MessageStream, clockOffsetMs: number): void {
    this.#clockOffsetMs ??= clockOffsetMs
    this.#isGreeted = true
    stream.onMessage = this.#handle
    for (const encoding of this.#taken) this.#take(stream, encoding)
    for (const [mixId, mix] of this.#mixes) stream.send(writeHear(mixId, mix))
    this.#settle?.resolve()
    this.#settle = null
  }

  #take(stream: MessageStream, encoding: VideoEncoding): void {
    stream.send(writeStreamRequest('take', encoding))
    const limitBps = this.#limitsBps.get(encoding)
    if (limitBps !== undefined) stream.send(writeLimit(encoding, limitBps))
  }

  #onClosed(): void {
    if (this.#closed) return
    const nowMs = performance.now()
    const isHopeless = this.#isGreeted && !this.#interruptions.take(nowMs)
    if (this.#isGreeted) {
      this.#aloneSinceMs = nowMs
      this.#options.log.warn('the feed of a room was interrupted')
    }
    this.#isGreeted = false
    if (!isHopeless && nowMs - this.#aloneSinceMs < (this.#settle ? MISSING_AFTER_MS : LOST_AFTER_MS)) {
      this.#retry = setTimeout(() => this.#connect(), RETRY_MS)
      return
    }
    this.close()
    this.#options.onLost()
  }

  #send(message: Buffer): void {
    // The greeting is followed by everything that is wanted then.
    if (this.#isGreeted) this.#connection?.send(message)
  }

  #onMessage(type: number, body: Buffer): void {
    if (type === MESSAGE.picture) {
      readPicture(body, this.#frame)
      this.#frame.capturedAtMs += this.#clockOffsetMs ?? 0
      if (this.#frame.keyframe) this.#keyframeAskedAtMs.delete(this.#frame.encoding)
      this.#options.onPicture(this.#frame)
    } else if (type === MESSAGE.sound) {
      const mixId = readSound(body, this.#packet)
      this.#packet.capturedAtMs += this.#clockOffsetMs ?? 0
      this.#options.onSound(mixId, this.#packet)
    } else if (type === MESSAGE.mark) this.#send(writeMark('marked'))
    else throw new RangeError(`no message ${type}`)
  }
}
