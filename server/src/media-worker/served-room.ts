import type { Logger } from 'pino'
import { Containment } from '../containment.ts'
import {
  type FeedKey,
  type Handlers,
  type MemberMedia,
  type OfferedFeed,
  ROOM_METHODS,
  type RoomMethod,
  type RoomMethods,
  type RoomPart,
  type SendRoomEvent,
} from '../media/channel.ts'
import { PICTURE_STREAMS } from './feed/feed-messages.ts'
import type { FeedPort } from './feed/feed-port.ts'
import { FeedReader } from './feed/feed-reader.ts'
import { RoomFeeds } from './feed/room-feeds.ts'
import { ServedSound } from './feed/served-sound.ts'
import { LowestBitrates } from './lowest-bitrates.ts'
import type { PacketTotals } from './packet-totals.ts'
import { FAULT_WINDOW_MS, MOST_ROOM_FAULTS } from './room-faults.ts'
import { RoomLegs } from './room-legs.ts'
import type { RtcSettings } from './transport/rtc-settings.ts'

export interface ServedRoomSettings {
  feed: FeedKey & OfferedFeed
  rtc: RtcSettings
  packets: PacketTotals
  feedPort: FeedPort
  log: Logger
  onEvent: SendRoomEvent
  /** The room has lost its feed, or throws so often that it must be closed. Called once. */
  onLost: (reason: string) => void
}

/**
 * Viewers of a room that another worker mixes: their legs here, the encoded picture and the sound over a feed. It feeds further
 * workers in its turn, so that what comes from another machine comes once.
 */
export class ServedRoom implements RoomPart<'members'> {
  /** bit/s of the picture in the room's quality. */
  readonly fullBitrateBps: number
  readonly feeds: RoomFeeds
  readonly #legs: RoomLegs
  readonly #feed: FeedReader
  readonly #sound: ServedSound
  readonly #parts: { legs: RoomLegs; members: ServedRoom }

  constructor({ feed, rtc, packets, feedPort, log, onEvent, onLost }: ServedRoomSettings) {
    const { guard } = new Containment(log, {
      faults: MOST_ROOM_FAULTS,
      withinMs: FAULT_WINDOW_MS,
      onTooMany: (error) => onLost(`too many faults, the last one: ${error}`),
    })
    this.#feed = new FeedReader({
      feed,
      log,
      guard,
      onPicture: (frame) => {
        this.#legs.publishVideo(frame)
        this.feeds.publishVideo(frame)
      },
      onSound: (mixId, packet) => this.#sound.publish(mixId, packet),
      onLost: () => onLost('the worker that mixes the room cannot be reached'),
    })
    this.#sound = new ServedSound({
      hear: (mix) => this.#feed.hear(mix),
      unhear: (mixId) => this.#feed.unhear(mixId),
      onPacket: (listenerId, packet) => {
        if (!this.feeds.sendSound(listenerId, packet)) this.#legs.sendAudio(listenerId, packet)
      },
    })
    this.fullBitrateBps = feed.fullBitrateBps
    const bitrates = new LowestBitrates((encoding, bitrateBps) => this.#feed.limit(encoding, bitrateBps))
    this.feeds = new RoomFeeds({
      port: feedPort,
      log,
      requestKeyframe: (encoding) => this.#feed.requestKeyframe(encoding),
      onLimit: (feedId, encoding, bitrateBps) => bitrates.limit(feedId, encoding, bitrateBps),
      addMix: (listenerId, mix) => this.#sound.addMix(listenerId, mix),
      removeMix: (listenerId) => this.#sound.removeListener(listenerId),
      onTakersChanged: () => this.#takeStreams(),
    })
    this.#legs = new RoomLegs({
      rtc,
      packets,
      log,
      guard,
      media: {
        fullBitrateBps: feed.fullBitrateBps,
        requestKeyframe: (encoding) => this.#feed.requestKeyframe(encoding),
        setBitrate: (encoding, bitrateBps) => bitrates.limit('here', encoding, bitrateBps),
        addListener: (legId, memberId) => this.#sound.addListener(legId, memberId),
        removeListener: (legId) => this.#sound.removeListener(legId),
        setExpectedLoss: (legId, percent) => this.#sound.setExpectedLoss(legId, percent),
        uplink: null,
      },
      onState: (legId, state) => onEvent('leg', { legId, state }),
      // Only cameras are asked for something, and only legs that send are measured.
      onVideoWanted: () => {},
      onQuality: (legs) => onEvent('quality', { legs }),
      onViewersChanged: () => this.#takeStreams(),
    })
    this.#parts = { legs: this.#legs, members: this }
  }

  /** Resolves once pictures and sound can come. @throws Error where they cannot */
  get connected(): Promise<void> {
    return this.#feed.connected
  }

  get legCount(): number {
    return this.#legs.size
  }

  /** Hands a declared method to the part that does it. @throws Error for what only the worker does that mixes the room */
  answer(method: RoomMethod, args: Parameters<RoomMethods[RoomMethod]>): unknown {
    const { part: name } = ROOM_METHODS[method]
    if (name !== 'legs' && name !== 'members') throw new Error(`the room is mixed elsewhere: no ${method}`)
    const part: Partial<Handlers<RoomMethods>> = this.#parts[name]
    return Reflect.apply(part[method]!, part, args)
  }

  setMember(member: MemberMedia): void {
    this.#sound.setMember(member)
    this.#legs.setHeld(member.memberId, member.held ?? false)
  }

  removeMember(memberId: string): void {
    this.#sound.removeMember(memberId)
    this.#legs.setHeld(memberId, false)
  }

  /** Ends all legs. @returns no recordings: they are where the room is mixed */
  async close(): Promise<[]> {
    this.feeds.closeAll()
    this.#legs.close()
    this.#feed.close()
    return []
  }

  /** A stream of the picture comes only while somebody here or a further worker takes it. */
  #takeStreams(): void {
    for (const encoding of PICTURE_STREAMS) {
      const takers = this.#legs.viewersOf(encoding) + this.feeds.takersOf(encoding)
      this.#feed.setTaken(encoding, takers > 0)
    }
  }
}
