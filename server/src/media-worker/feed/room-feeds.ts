import type { Logger } from 'pino'
import type { FeedAddress, FeedKey } from '../../media/channel.ts'
import type { EncodedAudioPacket, EncodedVideoFrame, VideoEncoding } from '../media-types.ts'
import type { ViewerMix } from '../mixer/audio-mixer.ts'
import { writePicture } from './feed-messages.ts'
import type { FeedPort } from './feed-port.ts'
import { FeedWriter } from './feed-writer.ts'
import type { MessageStream } from './message-stream.ts'

export interface RoomFeedsOptions {
  port: FeedPort
  log: Logger
  requestKeyframe: (encoding: VideoEncoding) => void
  /** The slowest viewer of a feed can take so much of an encode; null where it takes that no more. */
  onLimit: (feedId: string, encoding: VideoEncoding, bitrateBps: number | null) => void
  /** Listens to a mix from now on, under this id. */
  addMix: (listenerId: string, mix: ViewerMix) => void
  removeMix: (listenerId: string) => void
  /** See {@link RoomFeeds.takersOf}. */
  onTakersChanged: () => void
}

/** Where the packets of a mix go. */
interface MixReader {
  writer: FeedWriter
  mixId: number
}

/** The feeds of one room: its encoded picture and sound for the workers that serve viewers of it. */
export class RoomFeeds {
  readonly #options: RoomFeedsOptions
  /** By feed. Null while its worker has not connected, or not again. */
  readonly #writers = new Map<string, FeedWriter | null>()
  readonly #mixes = new Map<string, MixReader>()

  constructor(options: RoomFeedsOptions) {
    this.#options = options
  }

  /** @returns where the worker that knows the secret finds the feed @throws Error where no port can be opened */
  async open({ feedId, secret }: FeedKey): Promise<FeedAddress> {
    this.#writers.set(feedId, null)
    try {
      return await this.#options.port.offer(feedId, {
        secret: Buffer.from(secret, 'hex'),
        onReader: (stream) => this.#attach(feedId, stream),
      })
    } catch (error) {
      this.#writers.delete(feedId)
      throw error
    }
  }

  /** Idempotent. */
  close(feedId: string): void {
    this.#options.port.withdraw(feedId)
    const writer = this.#writers.get(feedId)
    this.#writers.delete(feedId)
    writer?.close()
  }

  closeAll(): void {
    for (const feedId of [...this.#writers.keys()]) this.close(feedId)
  }

  /** How many feeds take this encode. */
  takersOf(encoding: VideoEncoding): number {
    let takers = 0
    for (const writer of this.#writers.values()) if (writer?.takes(encoding)) takers++
    return takers
  }

  /** Sends one encoded picture to all workers that take it. `frame` is copied once. */
  publishVideo(frame: EncodedVideoFrame): void {
    if (this.#writers.size === 0) return
    let message: Buffer | null = null
    const nowMs = performance.now()
    const made = () => {
      message ??= writePicture(frame)
      return message
    }
    for (const writer of this.#writers.values()) writer?.sendPicture(frame, made, nowMs)
  }

  /** Sends one packet of a mix. @returns whether the listener is a mix of a feed */
  sendSound(listenerId: string, packet: EncodedAudioPacket): boolean {
    const reader = this.#mixes.get(listenerId)
    reader?.writer.sendSound(reader.mixId, packet, performance.now())
    return reader !== undefined
  }

  #attach(feedId: string, stream: MessageStream): void {
    const { requestKeyframe, onLimit, onTakersChanged, addMix, removeMix, log } = this.#options
    const listenerOf = (mixId: number) => `${feedId} ${mixId}`
    // It has lost its connection before this end noticed.
    this.#writers.get(feedId)?.close()
    const writer = new FeedWriter({
      stream,
      onKeyframeNeeded: requestKeyframe,
      onLimit: (encoding, bitrateBps) => {
        // A newer connection of the same feed may have asked by now.
        const current = this.#writers.get(feedId) ?? writer
        if (current === writer) onLimit(feedId, encoding, bitrateBps)
      },
      onTakenChanged: onTakersChanged,
      onHear: (mixId, mix) => {
        this.#mixes.set(listenerOf(mixId), { writer, mixId })
        addMix(listenerOf(mixId), mix)
      },
      onUnhear: (mixId) => {
        // A newer connection of the same feed may have it by now.
        if (this.#mixes.get(listenerOf(mixId))?.writer !== writer) return
        this.#mixes.delete(listenerOf(mixId))
        removeMix(listenerOf(mixId))
      },
      onClosed: () => {
        log.debug({ feedId, ...writer.dropped }, 'a feed was disconnected')
        if (this.#writers.get(feedId) === writer) this.#writers.set(feedId, null)
      },
    })
    this.#writers.set(feedId, writer)
  }
}
