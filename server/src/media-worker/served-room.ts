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
import { FeedReader } from './feed/feed-reader.ts'
import { ServedSound } from './feed/served-sound.ts'
import type { PacketTotals } from './packet-totals.ts'
import { FAULT_WINDOW_MS, MOST_ROOM_FAULTS } from './room-faults.ts'
import { RoomLegs } from './room-legs.ts'
import type { RtcSettings } from './transport/rtc-settings.ts'

export interface ServedRoomSettings {
  feed: FeedKey & OfferedFeed
  rtc: RtcSettings
  packets: PacketTotals
  log: Logger
  onEvent: SendRoomEvent
  /** The room has lost its feed, or throws so often that it must be closed. Called once. */
  onLost: (reason: string) => void
}

/** Viewers of a room that another worker mixes: their legs here, the encoded picture and the sound over a feed. */
export class ServedRoom implements RoomPart<'members'> {
  readonly #legs: RoomLegs
  readonly #feed: FeedReader
  readonly #sound: ServedSound
  readonly #parts: { legs: RoomLegs; members: ServedRoom }

  constructor({ feed, rtc, packets, log, onEvent, onLost }: ServedRoomSettings) {
    const { guard } = new Containment(log, {
      faults: MOST_ROOM_FAULTS,
      withinMs: FAULT_WINDOW_MS,
      onTooMany: (error) => onLost(`too many faults, the last one: ${error}`),
    })
    this.#feed = new FeedReader({
      feed,
      log,
      guard,
      onPicture: (frame) => this.#legs.publishVideo(frame),
      onSound: (mixId, packet) => this.#sound.publish(mixId, packet),
      onLost: () => onLost('the worker that mixes the room cannot be reached'),
    })
    this.#sound = new ServedSound({
      hear: (mix) => this.#feed.hear(mix),
      unhear: (mixId) => this.#feed.unhear(mixId),
      onPacket: (legId, packet) => this.#legs.sendAudio(legId, packet),
    })
    this.#legs = new RoomLegs({
      rtc,
      packets,
      log,
      guard,
      media: {
        fullBitrateBps: feed.fullBitrateBps,
        requestKeyframe: (encoding) => this.#feed.requestKeyframe(encoding),
        setBitrate: (encoding, bitrateBps) => this.#feed.limit(encoding, bitrateBps),
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
    this.#legs.close()
    this.#feed.close()
    return []
  }

  /** A stream of the picture comes only while somebody here takes it. */
  #takeStreams(): void {
    for (const encoding of PICTURE_STREAMS) this.#feed.setTaken(encoding, this.#legs.viewersOf(encoding) > 0)
  }
}
