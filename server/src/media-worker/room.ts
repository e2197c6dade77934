import type { Logger } from 'pino'
import { Containment } from '../containment.ts'
import {
  type Handlers,
  type MemberMedia,
  type RecordingResult,
  ROOM_METHODS,
  type RoomMediaOptions,
  type RoomMethod,
  type RoomMethods,
  type RoomPart,
  type RoomPartName,
  type SendRoomEvent,
} from '../media/channel.ts'
import type { OverloadStep } from '../resources/overload-steps.ts'
import type { ComposingThreads } from './composing/composing-threads.ts'
import { Compositor } from './composing/compositor.ts'
import type { FeedPort } from './feed/feed-port.ts'
import { RoomFeeds } from './feed/room-feeds.ts'
import { LowestBitrates } from './lowest-bitrates.ts'
import type { VideoEncoding } from './media-types.ts'
import { AudioMixer } from './mixer/audio-mixer.ts'
import { LipSync } from './mixer/lip-sync.ts'
import { defaultVideoBitrateBps } from './mixer/video-bitrate.ts'
import { LiveSegments } from './outputs/live-segments.ts'
import { RoomRecordings } from './outputs/room-recordings.ts'
import { RoomStreams } from './outputs/rtmp/room-streams.ts'
import { roomLimits } from './overload/room-limits.ts'
import type { PacketTotals } from './packet-totals.ts'
import { RoomPlaybacks } from './playback/room-playbacks.ts'
import { FAULT_WINDOW_MS, MOST_ROOM_FAULTS } from './room-faults.ts'
import { RoomLegs } from './room-legs.ts'
import { mixedHere } from './room-media.ts'
import type { RtcSettings } from './transport/rtc-settings.ts'

const CANVAS = { '720p': { width: 1280, height: 720 }, '1080p': { width: 1920, height: 1080 } } as const

export interface RoomOptions {
  media: RoomMediaOptions
  rtc: RtcSettings
  packets: PacketTotals
  /** Where its picture is composed. */
  threads: ComposingThreads
  feedPort: FeedPort
  log: Logger
  onEvent: SendRoomEvent
  /** The room throws so often that it must be closed. Called once. */
  onTooManyFaults: (reason: string) => void
}

/**
 * The media of one room session: legs in, one picture and a sound for each listener out, recordings and streams beside.
 * Builds the parts of the room and connects them; each part does the methods that `media/channel.ts` assigns to it.
 */
export class Room implements RoomPart<'members'> {
  readonly #video: Compositor
  readonly #audio: AudioMixer
  readonly #fps: number
  readonly #legs: RoomLegs
  /** bit/s of the picture in the room's quality. */
  readonly fullBitrateBps: number
  /** For the workers that serve other viewers of this room. */
  readonly feeds: RoomFeeds
  readonly #recordings: RoomRecordings
  readonly #streams: RoomStreams
  /** Null for a room that is not watched over HLS. */
  readonly #segments: LiveSegments | null
  readonly #playbacks: RoomPlaybacks
  readonly #parts: { [Part in RoomPartName]: RoomPart<Part> }

  constructor({ media, rtc, packets, threads, feedPort, log, onEvent, onTooManyFaults }: RoomOptions) {
    const containment = new Containment(log, {
      faults: MOST_ROOM_FAULTS,
      withinMs: FAULT_WINDOW_MS,
      onTooMany: (error) => onTooManyFaults(`too many faults, the last one: ${error}`),
    })
    const { guard } = containment
    const picture = { ...CANVAS[media.quality], fps: media.fps }
    this.#fps = media.fps
    const lipSync = new LipSync()
    this.#video = new Compositor({
      ...picture,
      nameLabels: media.nameLabels ?? false,
      previewFile: media.previewFile,
      threads,
      lipSync,
      onFrame: guard('picture', (frame) => {
        this.#legs.publishVideo(frame)
        this.feeds.publishVideo(frame)
        if (frame.encoding !== 'H264') return
        this.#recordings.outputs.writeVideo(frame)
        this.#streams.outputs.writeVideo(frame)
        this.#segments?.writeVideo(frame)
      }),
      onKeyframeWanted: (memberId) => this.#legs.requestKeyframe(memberId),
      onTilesChanged: () => this.#legs.askCameras(),
      onFault: (where, error) => containment.note(where, error),
      onPreviewFailed: (err) => log.warn({ err }, 'preview not made'),
    })
    this.#audio = new AudioMixer({
      lipSync,
      guard,
      tones: media.toneOnEntryAndExit,
      onPacket: (listenerId, packet) => {
        if (!this.feeds.sendSound(listenerId, packet)) this.#legs.sendAudio(listenerId, packet)
      },
      onMix: (pcm, capturedAtMs) => {
        this.#recordings.outputs.writeMix(pcm, capturedAtMs)
        this.#streams.outputs.writeMix(pcm, capturedAtMs)
        this.#segments?.writeMix(pcm, capturedAtMs)
      },
      onTalking: (memberId, talking) => onEvent('talking', { memberId, talking }),
    })
    this.fullBitrateBps = defaultVideoBitrateBps(picture.width, picture.height, picture.fps)
    const bitrates = new LowestBitrates((encoding, bitrateBps) =>
      this.#video.setBitrate(encoding, bitrateBps),
    )
    this.#legs = new RoomLegs({
      rtc,
      packets,
      media: mixedHere(this.#video, this.#audio, {
        picture,
        fullBitrateBps: this.fullBitrateBps,
        setBitrate: (encoding, bitrateBps) => bitrates.limit('here', encoding, bitrateBps),
      }),
      log,
      guard,
      onState: (legId, state) => onEvent('leg', { legId, state }),
      onVideoWanted: (legId, wanted) => onEvent('videoWanted', { legId, ...wanted }),
      onQuality: (legs) => onEvent('quality', { legs }),
      onViewersChanged: () => this.#runEncoders(),
    })
    this.feeds = new RoomFeeds({
      port: feedPort,
      log,
      requestKeyframe: (encoding) => this.#video.requestKeyframe(encoding),
      onLimit: (feedId, encoding, bitrateBps) => bitrates.limit(feedId, encoding, bitrateBps),
      addMix: (listenerId, mix) => this.#audio.addMix(listenerId, mix),
      removeMix: (listenerId) => this.#audio.removeListener(listenerId),
      onTakersChanged: () => this.#runEncoders(),
    })
    const output = {
      ...picture,
      log,
      requestKeyframe: () => this.#video.requestKeyframe('H264'),
      onCountChanged: () => this.#runEncoders(),
    }
    this.#recordings = new RoomRecordings({
      ...output,
      onFailed: (recordingId, reason, result) => onEvent('recordingFailed', { recordingId, reason, result }),
    })
    this.#streams = new RoomStreams({
      ...output,
      onLost: (streamId, cause) => onEvent('streamLost', { streamId, cause }),
    })
    this.#segments =
      media.hlsFolder === null
        ? null
        : new LiveSegments({ ...output, folder: media.hlsFolder, onPart: (part) => onEvent('hlsPart', part) })
    this.#playbacks = new RoomPlaybacks({
      video: this.#video,
      audio: this.#audio,
      log,
      onChanged: (playbackId, state) => onEvent('playbackChanged', { playbackId, ...state }),
      onEnded: (playbackId, reason, positionMs) =>
        onEvent('playbackEnded', { playbackId, reason, positionMs }),
      onAddressWanted: (question) => onEvent('addressWanted', question),
    })
    this.#parts = {
      legs: this.#legs,
      members: this,
      video: this.#video,
      audio: this.#audio,
      recordings: this.#recordings,
      streams: this.#streams,
      playbacks: this.#playbacks,
    }
    this.#audio.start()
    this.#runEncoders()
  }

  get legCount(): number {
    return this.#legs.size
  }

  /** Hands a declared method to the part that does it. @returns what that returns */
  answer(method: RoomMethod, args: Parameters<RoomMethods[RoomMethod]>): unknown {
    const part: Partial<Handlers<RoomMethods>> = this.#parts[ROOM_METHODS[method].part]
    return Reflect.apply(part[method]!, part, args)
  }

  setMember(member: MemberMedia): void {
    this.#video.setMember(member)
    this.#audio.setMember(member)
    this.#legs.setHeld(member.memberId, member.held ?? false)
  }

  removeMember(memberId: string): void {
    this.#video.removeMember(memberId)
    this.#audio.removeMember(memberId)
    this.#legs.setHeld(memberId, false)
  }

  /** Spends no more than the step of the overload ladder lets it. */
  giveUp(step: OverloadStep): void {
    const limits = roomLimits(step, this.#fps)
    // Segments and their parts end at a picture, so one has to come in time although nothing moves.
    const stillIntervalMs = this.#segments ? 1000 / limits.fps : limits.stillIntervalMs
    this.#video.setEffort({ ...limits, stillIntervalMs })
    this.#legs.limitCameras(limits)
  }

  /** Ends everything, recordings first. @returns the recordings that can be played */
  async close(): Promise<RecordingResult[]> {
    const playbacks = this.#playbacks.close()
    const streams = this.#streams.outputs.close()
    const results = await this.#recordings.outputs.close()
    await streams
    await playbacks
    await this.#segments?.stop()
    this.feeds.closeAll()
    try {
      this.#legs.close()
    } finally {
      this.#audio.stop()
      await this.#video.close()
    }
    return results
  }

  /** An encoder runs only while somebody takes what it makes. */
  #runEncoders(): void {
    const viewersOf = (encoding: VideoEncoding) =>
      this.#legs.viewersOf(encoding) + this.feeds.takersOf(encoding)
    this.#video.setVp8Enabled(viewersOf('VP8') > 0)
    this.#video.setSmallEnabled(viewersOf('H264-small') > 0)
    const takers =
      viewersOf('H264') +
      this.#recordings.outputs.size +
      this.#streams.outputs.size +
      (this.#segments ? 1 : 0)
    this.#video.setH264Enabled(takers > 0)
  }
}
