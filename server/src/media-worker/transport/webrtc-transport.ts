import { randomBytes, randomInt } from 'node:crypto'
import { type Guard, unguarded } from '../../containment.ts'
import type { LegState } from '../../media/channel.ts'
import type { AudioSource, EncodedAudioPacket, ReceivedVideoFrame, VideoCodec } from '../media-types.ts'
import { BrowserConnections } from './browser-connections.ts'
import { everyLegLook, everyLegTick, LOOKS_PER_SECOND } from './leg-clock.ts'
import type { MediaPipe } from './media-pipe.ts'
import { PacketBudget } from './receiving/packet-budget.ts'
import type { PacketRoutes } from './receiving/packet-routes.ts'
import { ReceivedMedia } from './receiving/received-media.ts'
import type { MediaPermissions, RtcSettings } from './rtc-settings.ts'
import { type RtcpHandler, readRtcp } from './rtp/rtcp-reader.ts'
import { writeEstimatedBitrate, writeReport } from './rtp/rtcp-writer.ts'
import { isRtcp } from './rtp/rtp-packet.ts'
import { writeAnswer } from './sdp/answer.ts'
import {
  type AnswerPlan,
  PLAYOUT_DELAY_URI,
  type PlannedSection,
  planAnswer,
  SEND_TIME_URI,
  TRANSPORT_SEQUENCE_URI,
} from './sdp/answer-plan.ts'
import { parseOffer } from './sdp/offer.ts'
import { AudioSender } from './sending/audio-sender.ts'
import { DownlinkControl } from './sending/congestion/downlink-control.ts'
import type { Rendition } from './sending/congestion/rendition-choice.ts'
import { ASSUMED_ROUND_TRIP_MS, LossRepair } from './sending/loss-repair.ts'
import type { Numbering } from './sending/numbering.ts'
import { VideoSender } from './sending/video-sender.ts'
import { type TransportStats, transportStats } from './transport-stats.ts'

const TICKS_PER_FEEDBACK = 5
/** What headers add to the payload of a packet, about. */
const HEADER_BYTES = 24
/** A browser that is sent media reports about it at least every few seconds. */
const SILENCE_MS = 6000

export interface WebRtcTransportOptions {
  legId: string
  rtc: RtcSettings
  /** Contains what packets, state changes and timers of this leg cause. Without it faults are the caller's. */
  guard?: Guard
  /** Every whole frame of the camera, in decoding order. */
  onVideoFrame: (frame: ReceivedVideoFrame) => void
  onState: (state: LegState) => void
  /** The browser should get another picture, see {@link WebRtcTransport.setFullBitrate}. */
  onRendition?: (rendition: Rendition) => void
}

/** The peer connection of one browser (one leg). */
export class WebRtcTransport {
  readonly legId: string
  /** For {@link VideoFanOut}: the stream of the room's picture to this browser. */
  readonly videoSender: VideoSender
  readonly #onStateChange: (state: LegState) => void
  readonly #bundle: boolean
  readonly #connections: BrowserConnections
  readonly #cname = randomBytes(9).toString('base64url')
  readonly #sessionId = randomInt(1, 2 ** 47)
  readonly #audioSender = new AudioSender()
  readonly #loss: LossRepair
  readonly #downlinkControl: DownlinkControl
  readonly #received: ReceivedMedia
  readonly #budget = new PacketBudget()
  readonly #control: RtcpHandler
  readonly #tickGuarded: (nowMs: number) => void
  readonly #endLooks: () => void
  /** Null while nothing is urgent. */
  #endTicks: (() => void) | null = null
  #audioPipe: MediaPipe | null = null
  #videoPipe: MediaPipe | null = null
  #receivesAudio = false
  #sendsAudio = false
  #receivedVideoCodec: VideoCodec | null = null
  #negotiation: Promise<unknown> = Promise.resolve()
  #version = 0
  #state: LegState | 'new' = 'new'
  #closed = false
  #ticks = 0
  /** Reports are sent once a second. */
  #looks = randomInt(LOOKS_PER_SECOND)
  #hasSentMedia = false
  #maxReceiveBitrateBps: number | null = null
  #reportedBitrateBps: number | null = null

  constructor(options: WebRtcTransportOptions) {
    const guard = options.guard ?? unguarded
    this.legId = options.legId
    this.#onStateChange = options.onState
    this.#bundle = options.rtc.bundle ?? true
    this.#connections = new BrowserConnections(options.rtc, {
      onPacket: guard('packet', (pipe, routes, packet) => this.#onPacket(pipe, routes, packet)),
      onState: guard('leg state', () => this.#onPipeState()),
    })
    this.videoSender = new VideoSender({
      send: (packet) => this.#videoPipe?.enqueue(packet) ?? false,
      flush: () => this.#videoPipe?.flush(),
      onPending: () => this.#startTicks(),
    })
    this.#loss = new LossRepair(this.#audioSender, this.videoSender)
    this.#downlinkControl = new DownlinkControl(this.videoSender, (rendition) =>
      options.onRendition?.(rendition),
    )
    this.#received = new ReceivedMedia({
      ssrcs: { audio: this.#audioSender.stream.ssrc, video: this.videoSender.stream.ssrc },
      onVideoFrame: options.onVideoFrame,
      sendControl: {
        audio: (packet) => this.#audioPipe?.send(packet),
        video: (packet) => this.#videoPipe?.send(packet),
      },
    })
    this.#control = this.#createControlHandler()
    this.#tickGuarded = guard('leg timer', (nowMs) => this.#tick(nowMs))
    this.#endLooks = everyLegLook(guard('leg timer', (nowMs) => this.#look(nowMs)))
  }

  /** The browser's microphone, or null while it may not or does not send one. Always the same object. */
  get microphone(): AudioSource | null {
    return this.#receivesAudio ? this.#received.audio : null
  }

  /** The codec in which this browser takes the room's picture; null while it receives none. */
  get receivedVideoCodec(): VideoCodec | null {
    return this.#receivedVideoCodec
  }

  /**
   * Answers an offer: the first one, a media update (same ufrag), an ICE restart (new ufrag) or a page reload (new
   * fingerprint). Offers are answered one after the other.
   * @param preferredVideo what to send where the browser takes both codecs
   * @throws {SdpError} where the offer cannot be understood or has nothing in common with us; nothing has changed then
   */
  negotiate(offer: string, may: MediaPermissions, preferredVideo: VideoCodec = 'H264'): Promise<string> {
    const answer = this.#negotiation.then(() => this.#answer(offer, may, preferredVideo))
    this.#negotiation = answer.catch(() => {})
    return answer
  }

  async #answer(sdp: string, may: MediaPermissions, preferredVideo: VideoCodec): Promise<string> {
    if (this.#closed) throw new Error('the leg is closed')
    const offer = parseOffer(sdp)
    const plan = planAnswer(offer, may, preferredVideo, this.#bundle)
    await this.#connections.follow(plan, offer.fromFirefox)
    this.#apply(plan)
    this.#version++
    return writeAnswer(plan, {
      sessionId: this.#sessionId,
      version: this.#version,
      ice: (section) => this.#connections.pipeOf(plan, section).description.local,
      streams: (section) => this.#streamsOf(section),
    })
  }

  #streamsOf(section: PlannedSection) {
    const cname = this.#cname
    return section.offered.kind === 'audio'
      ? { ssrc: this.#audioSender.stream.ssrc, cname }
      : {
          ssrc: this.videoSender.stream.ssrc,
          retransmissionSsrc: this.videoSender.retransmissions.ssrc,
          cname,
        }
  }

  /** Puts the negotiated directions and payload types to use. */
  #apply(plan: AnswerPlan): void {
    const { audio, video } = plan
    this.#audioPipe = audio && this.#connections.pipeOf(plan, audio)
    this.#videoPipe = video && this.#connections.pipeOf(plan, video)
    this.#receivesAudio = audio?.direction === 'sendrecv' || audio?.direction === 'recvonly'
    this.#sendsAudio = audio?.sentCodec != null
    this.#audioSender.stream.payloadType = audio?.sentCodec?.payloadType ?? 0
    this.#audioSender.redundancyPayloadType = audio?.sentCodec?.redundancyPayloadType ?? 0
    const sent = video?.sentCodec ?? null
    this.#receivedVideoCodec = sent && sent.name !== 'opus' ? sent.name : null
    this.videoSender.stream.payloadType = sent?.payloadType ?? 0
    this.videoSender.retransmissionPayloadType = sent?.retransmissionPayloadType ?? 0
    this.videoSender.sendTimeExtensionId = extensionId(video, SEND_TIME_URI)
    this.videoSender.playoutDelayExtensionId = extensionId(video, PLAYOUT_DELAY_URI)
    this.#number(plan)
    this.#onPipeState()
  }

  /** Packets are numbered where the picture goes over a transport of which the browser reports the arrivals. */
  #number({ audio, video }: AnswerPlan): void {
    const sent = this.#videoPipe?.downlink.sent ?? null
    const numbering = (section: PlannedSection | null): Numbering | null => {
      const id = extensionId(section, TRANSPORT_SEQUENCE_URI)
      const reports = section?.sentCodec?.feedback.includes('transport-cc') ?? false
      return sent && id > 0 && reports ? { extensionId: id, sent } : null
    }
    const ofVideo = this.videoSender.retransmissionPayloadType > 0 ? numbering(video) : null
    this.videoSender.numbering = ofVideo
    this.#audioSender.numbering = ofVideo && this.#audioPipe === this.#videoPipe ? numbering(audio) : null
  }

  #onPipeState(): void {
    this.videoSender.setConnected(this.#receivedVideoCodec !== null && (this.#videoPipe?.connected ?? false))
    const { state } = this.#connections
    if (state !== 'connecting') this.#setState(state)
  }

  #setState(state: LegState): void {
    if (this.#closed || state === this.#state) return
    if (state === 'disconnected' && this.#state === 'new') return
    this.#state = state
    this.#onStateChange(state)
  }

  /** Asks the camera for a keyframe; requests in quick succession are merged. */
  requestKeyframe(): void {
    this.#received.video.requestKeyframe()
  }

  /** Caps what the camera sends: within the estimate of the browser itself, it never sends more than this. */
  setMaxReceiveBitrate(bitrateBps: number): void {
    this.#maxReceiveBitrateBps = bitrateBps
    this.#sendBitrateCap()
  }

  /** Sends one packet of what this browser hears; nothing happens while it does not listen or is not there. */
  sendAudio(packet: EncodedAudioPacket): void {
    const pipe = this.#audioPipe
    if (this.#sendsAudio && pipe?.connected)
      this.#audioSender.send(packet, performance.now(), (bytes) => pipe.send(bytes))
  }

  #onPacket(pipe: MediaPipe, routes: PacketRoutes, bytes: Buffer): void {
    if (bytes.length < 2) return
    const nowMs = performance.now()
    const isControl = isRtcp(bytes)
    if (!this.#budget.take(isControl, nowMs)) return
    if (isControl) {
      readRtcp(bytes, this.#control)
      return
    }
    if (!this.#hasSentMedia) {
      this.#hasSentMedia = true
      this.#startTicks()
    }
    this.#received.onPacket(bytes, routes, pipe.feedback, nowMs)
  }

  #createControlHandler(): RtcpHandler {
    const audio = this.#audioSender.stream
    const video = this.videoSender.stream
    return {
      onSenderReport: (ssrc, ntpMs, ntpCompact, rtpTimestamp) =>
        this.#received.onSenderReport(ssrc, ntpMs, ntpCompact, rtpTimestamp, performance.now()),
      onReportBlock: (block) => {
        const stream = block.ssrc === video.ssrc ? video : block.ssrc === audio.ssrc ? audio : null
        if (!stream) return
        const nowMs = performance.now()
        stream.onReportBlock(block, nowMs)
        this.#received.roundTripMs = this.#loss.roundTripMs ?? 0
        this.#loss.onReport(block.fractionLost, this.rendition, nowMs)
      },
      onNack: (ssrc, sequence) => {
        if (ssrc === video.ssrc) this.#loss.onRequest(sequence, performance.now())
      },
      onKeyframeRequest: (ssrc) => {
        if (ssrc === video.ssrc) this.videoSender.onKeyframeRequest(performance.now())
      },
      onEstimatedBitrate: (bitrateBps) => {
        this.#reportedBitrateBps = bitrateBps
        if (!this.#videoPipe?.downlink.measured) this.#downlinkControl.pace(bitrateBps)
      },
      onArrivals: (report) => {
        // Only the transport of the picture is numbered.
        const downlink = this.#videoPipe?.downlink
        if (!downlink) return
        downlink.onReport(report, performance.now())
        this.#downlinkControl.pace(downlink.bps)
      },
      onBye: () => {},
    }
  }

  /**
   * Share of the sound packets, 0 to 1, that the Opus encoder's in-band redundancy should make up for. 0 where packets carry
   * earlier ones once more (RFC 2198).
   */
  get audioLossToExpect(): number {
    return this.#audioSender.redundancyPayloadType > 0 ? 0 : this.#audioSender.stream.fractionLost
  }

  /**
   * What the network to the browser is believed to carry, in bit/s: our own estimate where the browser reports each arrival,
   * else its own (REMB). Null before the first report.
   */
  get availableBitrateBps(): number | null {
    const downlink = this.#videoPipe?.downlink
    return downlink?.measured ? downlink.bps : this.#reportedBitrateBps
  }

  /**
   * Lets this browser have a smaller picture where its network does not carry the full one: then `onRendition` tells which it
   * should get.
   * @param bps what the full picture takes; null for no choice
   */
  setFullBitrate(bps: number | null): void {
    this.#downlinkControl.fullBps = bps
  }

  /** Which picture this browser should get. */
  get rendition(): Rendition {
    return this.#downlinkControl.rendition
  }

  #startTicks(): void {
    if (!this.#closed) this.#endTicks ??= everyLegTick(this.#tickGuarded)
  }

  /** What is urgent. Viewers hardly ever have any of it: there may be a thousand of them. */
  #tick(nowMs: number): void {
    this.videoSender.tick(nowMs)
    if (this.#hasSentMedia) this.#tickReceivers(nowMs)
    if (this.#hasSentMedia || this.videoSender.isPending) return
    this.#endTicks?.()
    this.#endTicks = null
  }

  #look(nowMs: number): void {
    this.#followDownlink(nowMs)
    if (++this.#looks % LOOKS_PER_SECOND !== 0) return
    this.#sendReports(nowMs)
    this.#sendBitrateCap()
    this.#received.measure(nowMs)
    this.#noticeSilence(nowMs)
  }

  #followDownlink(nowMs: number): void {
    const downlink = this.#videoPipe?.downlink
    const own = downlink?.measured ? downlink : null
    this.#downlinkControl.tick(nowMs, this.availableBitrateBps, own, this.#sentBytes)
  }

  /** All that was sent since the start, with headers. */
  get #sentBytes(): number {
    const { stream, retransmissions } = this.videoSender
    let bytes = 0
    for (const { octets, packets } of [stream, retransmissions, this.#audioSender.stream])
      bytes += octets + packets * HEADER_BYTES
    return bytes
  }

  #tickReceivers(nowMs: number): void {
    this.#received.tick(nowMs, this.#loss.roundTripMs ?? ASSUMED_ROUND_TRIP_MS)
    if (++this.#ticks % TICKS_PER_FEEDBACK === 0) this.#sendFeedback()
  }

  #sendFeedback(): void {
    for (const pipe of this.#connections.pipes) {
      const { ssrc } = this.#received
      let feedback = pipe.feedback.take(this.videoSender.stream.ssrc, ssrc)
      while (feedback) {
        pipe.send(feedback)
        feedback = pipe.feedback.take(this.videoSender.stream.ssrc, ssrc)
      }
    }
  }

  #sendReports(nowMs: number): void {
    const { audio, video } = this.#received
    const kinds = [
      { pipe: this.#audioPipe, sent: this.#audioSender.stream, received: audio.streams.current },
      { pipe: this.#videoPipe, sent: this.videoSender.stream, received: video.streams.current },
    ]
    for (const { pipe, sent, received } of kinds) {
      const blocks = received ? [received.reportBlock(nowMs)] : []
      const info = sent.senderInfo(nowMs)
      if (info || blocks.length > 0) pipe?.send(writeReport(sent.ssrc, info, blocks, this.#cname))
    }
  }

  #sendBitrateCap(): void {
    const stream = this.#received.video.streams.current
    if (this.#maxReceiveBitrateBps === null || !stream) return
    const cap = this.#maxReceiveBitrateBps
    this.#videoPipe?.send(writeEstimatedBitrate(this.videoSender.stream.ssrc, cap, [stream.ssrc]))
  }

  /** ICE takes half a minute to give up a browser that is gone. Missing RTCP reports show it sooner. */
  #noticeSilence(nowMs: number): void {
    const expected = this.#sendsAudio || this.#receivedVideoCodec !== null
    if (!expected || this.#state === 'new' || this.#state === 'failed') return
    const silent = this.#connections.pipes.some(
      (pipe) => pipe.connected && nowMs - pipe.heardAtMs > SILENCE_MS,
    )
    if (silent) this.#setState('disconnected')
    else this.#onPipeState()
  }

  /** Counters since the start, as of now. */
  get stats(): TransportStats {
    return transportStats({
      roundTripMs: this.#loss.roundTripMs,
      received: this.#received,
      excess: this.#budget.excess,
      senders: { audio: this.#audioSender, video: this.videoSender },
      availableBitrateBps: this.availableBitrateBps,
    })
  }

  /** Closes the leg for good: reports `failed` and accepts no further offer. */
  fail(): void {
    this.#setState('failed')
    this.close()
  }

  /** Ends the connection. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#endTicks?.()
    this.#endLooks()
    this.videoSender.setConnected(false)
    this.#connections.close()
  }
}

/** The negotiated id of a header extension, or 0. */
function extensionId(section: PlannedSection | null, uri: string): number {
  return section?.extensions.find((extension) => extension.uri === uri)?.id ?? 0
}
