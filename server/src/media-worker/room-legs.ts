import type { Logger } from 'pino'
import { Containment, type Guard } from '../containment.ts'
import {
  type LegOptions,
  type LegQuality,
  type LegState,
  QUALITY_INTERVAL_MS,
  type RoomPart,
} from '../media/channel.ts'
import { type CameraLimits, type CameraRequest, cameraRequest } from './camera-request.ts'
import {
  codecOf,
  type EncodedAudioPacket,
  type EncodedVideoFrame,
  type VideoEncoding,
} from './media-types.ts'
import { SMALL_BITRATE_BPS } from './mixer/video-bitrate.ts'
import type { PacketTotals } from './packet-totals.ts'
import type { RoomMedia } from './room-media.ts'
import { SharedBitrate } from './shared-bitrate.ts'
import { QualityMeter } from './transport/quality-meter.ts'
import type { RtcSettings } from './transport/rtc-settings.ts'
import { VideoFanOut } from './transport/video-fan-out.ts'
import { WebRtcTransport } from './transport/webrtc-transport.ts'

const BITRATE_INTERVAL_MS = 500
/** How often the listeners' losses are told to their Opus encoders. */
const LOSS_REPORT_INTERVAL_MS = 2000
/**
 * How many faults a leg may have within {@link FAULT_WINDOW_MS} before it fails. A browser may cause one with every packet.
 * Other legs are not affected.
 */
const MOST_LEG_FAULTS = 200
const FAULT_WINDOW_MS = 10_000

export interface RoomLegsOptions {
  rtc: RtcSettings
  packets: PacketTotals
  /** The room that the legs show and that they send to. */
  media: RoomMedia
  log: Logger
  /** Contains what timers and fan-outs of the room cause. */
  guard: Guard
  /** The transport of a leg changed. */
  onState: (legId: string, state: LegState) => void
  /** What the camera of a leg should send at most. */
  onVideoWanted: (legId: string, wanted: { width: number; height: number; frameRate: number }) => void
  /** Every {@link QUALITY_INTERVAL_MS}, unless nobody is connected. */
  onQuality: (legs: LegQuality[]) => void
  /** More or fewer legs may take the picture of a codec: see {@link RoomLegs.viewersOf}. */
  onViewersChanged: () => void
}

/** A leg and what is known about it. */
interface Leg {
  id: string
  memberId: string
  transport: WebRtcTransport
  state: LegState | 'new'
  mayReceiveAudio: boolean
  maySendAudio: boolean
  maySend: boolean
  quality: QualityMeter
  /** The encode that it gets, once connected. */
  viewing: VideoEncoding | null
  /** What its camera was last asked for. */
  asked: CameraRequest | null
}

/** The legs of a room in this process: joins the transport of each to the room and to the fan-out of the picture. */
export class RoomLegs implements RoomPart<'legs'> {
  readonly #options: RoomLegsOptions
  readonly #legs = new Map<string, Leg>()
  /** Null before the room has set them. */
  #cameraLimits: CameraLimits | null = null
  /** Members on hold. Their legs take no picture. */
  readonly #held = new Set<string>()
  readonly #fanOuts: Record<VideoEncoding, VideoFanOut>
  /** Encodes of which there is no smaller one follow the slowest network of those who get them. */
  readonly #bitrates: Map<VideoEncoding, SharedBitrate>
  readonly #bitrateTimer: NodeJS.Timeout
  readonly #lossReports: NodeJS.Timeout
  readonly #qualityReports: NodeJS.Timeout

  constructor(options: RoomLegsOptions) {
    this.#options = options
    const { media, guard } = options
    const fanOut = (encoding: VideoEncoding) =>
      new VideoFanOut(encoding, { guard, onKeyframeNeeded: () => media.requestKeyframe(encoding) })
    this.#fanOuts = { H264: fanOut('H264'), VP8: fanOut('VP8'), 'H264-small': fanOut('H264-small') }
    this.#bitrates = new Map([
      ['VP8', new SharedBitrate(media.fullBitrateBps)],
      ['H264-small', new SharedBitrate(SMALL_BITRATE_BPS)],
    ])
    const shareBitrates = guard('bitrates', () => this.#shareBitrates(performance.now()))
    this.#bitrateTimer = setInterval(shareBitrates, BITRATE_INTERVAL_MS)
    const reportLosses = guard('loss report', () => this.#reportLosses())
    this.#lossReports = setInterval(reportLosses, LOSS_REPORT_INTERVAL_MS)
    const reportQuality = guard('quality report', () => this.#reportQuality())
    this.#qualityReports = setInterval(reportQuality, QUALITY_INTERVAL_MS)
  }

  get size(): number {
    return this.#legs.size
  }

  /** How many legs get this encode. */
  viewersOf(encoding: VideoEncoding): number {
    return this.#fanOuts[encoding].size
  }

  async connectLeg(options: LegOptions): Promise<{ answer: string }> {
    const known = this.#legs.get(options.legId)
    const leg = known ?? this.#add(options)
    try {
      const answer = await leg.transport.negotiate(options.offer, options)
      leg.mayReceiveAudio = options.mayReceiveAudio
      leg.maySendAudio = options.maySendAudio
      leg.maySend = options.maySendAudio || options.maySendVideo
      this.#attach(leg)
      return { answer }
    } catch (error) {
      if (!known) this.closeLeg(options.legId)
      throw error
    }
  }

  closeLeg(legId: string): void {
    const leg = this.#legs.get(legId)
    if (!leg) return
    const { media, log } = this.#options
    this.#legs.delete(legId)
    const { stats } = leg.transport
    this.#options.packets.closed(leg.transport, stats)
    log.debug({ legId, ...stats }, 'leg closed')
    media.uplink?.removeMicrophone(legId)
    media.removeListener(legId)
    if (leg.viewing) this.#fanOuts[leg.viewing].remove(leg.transport)
    leg.transport.close()
    media.uplink?.endOfVideo(leg.memberId)
    this.#options.onViewersChanged()
  }

  /** Takes the legs of a member out of the fan-out of the picture, or back into it with the next keyframe. */
  setHeld(memberId: string, held: boolean): void {
    if (this.#held.has(memberId) === held) return
    if (held) this.#held.add(memberId)
    else this.#held.delete(memberId)
    for (const leg of this.#legs.values()) {
      if (leg.memberId === memberId) this.#view(leg)
    }
    this.#options.onViewersChanged()
  }

  /** Sends one encoded picture to all legs that get its encode. */
  publishVideo(frame: EncodedVideoFrame): void {
    this.#fanOuts[frame.encoding].publish(frame)
  }

  /** Sends one packet of what a leg hears. */
  sendAudio(legId: string, packet: EncodedAudioPacket): void {
    this.#legs.get(legId)?.transport.sendAudio(packet)
  }

  /** Asks the camera of a member for a keyframe. */
  requestKeyframe(memberId: string): void {
    for (const leg of this.#legs.values()) if (leg.memberId === memberId) leg.transport.requestKeyframe()
  }

  /** Asks each camera for the size of its tile, where that has changed. */
  askCameras(): void {
    for (const leg of this.#legs.values()) this.#askCamera(leg)
  }

  /** Asks cameras for no more than this from now on. */
  limitCameras({ fps, hasSmallCameras }: CameraLimits): void {
    this.#cameraLimits = { fps, hasSmallCameras }
    this.askCameras()
  }

  /** Closes all legs. */
  close(): void {
    clearInterval(this.#bitrateTimer)
    clearInterval(this.#lossReports)
    clearInterval(this.#qualityReports)
    for (const legId of [...this.#legs.keys()]) this.closeLeg(legId)
  }

  #add({ legId, memberId, mayReceiveAudio }: LegOptions): Leg {
    const { rtc, media, log } = this.#options
    const { guard } = new Containment(log.child({ legId }), {
      faults: MOST_LEG_FAULTS,
      withinMs: FAULT_WINDOW_MS,
      // Later, because this runs inside a callback of the transport.
      onTooMany: () => setImmediate(() => transport.fail()),
    })
    const transport: WebRtcTransport = new WebRtcTransport({
      legId,
      rtc,
      guard,
      onVideoFrame: (frame) => media.uplink?.pushFrame(memberId, frame),
      onState: (state) => this.#onState(leg, state),
      onRendition: () => {
        this.#view(leg)
        this.#options.onViewersChanged()
      },
    })
    this.#options.packets.opened(transport)
    const leg: Leg = {
      id: legId,
      memberId,
      transport,
      state: 'new',
      mayReceiveAudio,
      maySendAudio: false,
      maySend: false,
      quality: new QualityMeter(performance.now()),
      viewing: null,
      asked: null,
    }
    this.#legs.set(legId, leg)
    return leg
  }

  #onState(leg: Leg, state: LegState): void {
    leg.state = state
    this.#attach(leg)
    this.#options.onState(leg.id, state)
  }

  /** Joins a leg to the room as its transport stands; called again whenever that changes. */
  #attach(leg: Leg): void {
    if (!this.#legs.has(leg.id)) return
    const { media } = this.#options
    const { microphone } = leg.transport
    media.uplink?.removeMicrophone(leg.id)
    if (microphone) media.uplink?.addMicrophone(leg.id, leg.memberId, microphone)
    this.#view(leg)
    if (leg.state === 'connected' && leg.mayReceiveAudio)
      media.addListener(leg.id, leg.memberId, leg.maySendAudio)
    this.#options.onViewersChanged()
    this.#askCamera(leg)
  }

  /** Gives a leg the encode that it should get. A leg that is not connected keeps what it has, unless it is held. */
  #view(leg: Leg): void {
    const encoding = leg.state === 'connected' ? this.#encodingFor(leg.transport) : leg.viewing
    const viewing = this.#held.has(leg.memberId) ? null : encoding
    const before = leg.viewing
    if (viewing === before) return
    leg.viewing = viewing
    if (before && viewing && codecOf(before) === codecOf(viewing)) {
      this.#fanOuts[before].moveTo(this.#fanOuts[viewing], leg.transport)
      return
    }
    if (before) this.#fanOuts[before].remove(leg.transport)
    if (viewing) this.#fanOuts[viewing].add(leg.transport)
  }

  #encodingFor(transport: WebRtcTransport): VideoEncoding | null {
    const codec = transport.receivedVideoCodec
    transport.setFullBitrate(codec === 'H264' ? this.#options.media.fullBitrateBps : null)
    return codec === 'H264' && transport.rendition === 'small' ? 'H264-small' : codec
  }

  #shareBitrates(nowMs: number): void {
    for (const [encoding, bitrate] of this.#bitrates) {
      let slowestBps = Number.POSITIVE_INFINITY
      for (const { viewing, transport } of this.#legs.values())
        if (viewing === encoding)
          slowestBps = Math.min(slowestBps, transport.availableBitrateBps ?? slowestBps)
      if (bitrate.update(slowestBps, nowMs)) this.#options.media.setBitrate(encoding, bitrate.bps)
    }
  }

  #askCamera(leg: Leg): void {
    const { media } = this.#options
    if (leg.state !== 'connected' || !media.uplink) return
    const { width, height, fps: usualFps } = media.uplink.picture
    const isScreen = media.uplink.isScreen(leg.memberId)
    const { fps, hasSmallCameras } = this.#cameraLimits ?? { fps: usualFps, hasSmallCameras: false }
    const request = isScreen
      ? cameraRequest({ width, height }, { fps, hasSmallCameras: false })
      : cameraRequest(media.uplink.tileSize(leg.memberId), { fps, hasSmallCameras })
    if (leg.asked?.height === request.height && leg.asked.frameRate === request.frameRate) return
    leg.asked = request
    leg.transport.setMaxReceiveBitrate(request.maxBitrateBps)
    // A browser that is asked for a size crops its screen to those proportions.
    if (isScreen) return
    this.#options.onVideoWanted(leg.id, {
      width: request.width,
      height: request.height,
      frameRate: request.frameRate,
    })
  }

  #reportQuality(): void {
    const nowMs = performance.now()
    const legs: LegQuality[] = []
    for (const { memberId, transport, state, maySend, quality } of this.#legs.values()) {
      if (state !== 'connected' || !maySend) continue
      const measured = quality.take(transport.stats, nowMs)
      if (measured) legs.push({ memberId, ...measured })
    }
    if (legs.length > 0) this.#options.onQuality(legs)
  }

  #reportLosses(): void {
    for (const leg of this.#legs.values()) {
      this.#options.media.setExpectedLoss(leg.id, leg.transport.audioLossToExpect * 100)
    }
  }
}
