import type { ReceivedVideoFrame } from '../../media-types.ts'
import { BitrateMeter } from '../bitrate-meter.ts'
import { newestBlockStart } from '../rtp/redundancy.ts'
import { RtpPacketView } from '../rtp/rtp-packet.ts'
import { AudioReceiver } from './audio-receiver.ts'
import type { PacketRoutes } from './packet-routes.ts'
import { SenderClock } from './sender-clock.ts'
import type { TransportFeedback } from './transport-feedback.ts'
import { VideoReceiver } from './video-receiver.ts'

export interface ReceivedMediaOptions {
  /** Streams of ours, in whose name we ask the browser for something. */
  ssrcs: Record<'audio' | 'video', number>
  /** Every whole frame of the camera, in decoding order. */
  onVideoFrame: (frame: ReceivedVideoFrame) => void
  /** Each sends one RTCP packet to the browser. */
  sendControl: Record<'audio' | 'video', (packet: Buffer) => void>
}

/** The microphone and the camera of one browser: what becomes of the packets that it sends. */
export class ReceivedMedia {
  readonly audio: AudioReceiver
  readonly video: VideoReceiver
  /** Counts payload. Up to date once a second. */
  readonly meters = { audio: new BitrateMeter(), video: new BitrateMeter() }
  /** Packets that were no RTP. */
  malformed = 0
  readonly #clock = new SenderClock()
  readonly #packet = new RtpPacketView()

  constructor({ ssrcs, onVideoFrame, sendControl }: ReceivedMediaOptions) {
    this.video = new VideoReceiver(ssrcs.video, this.#clock, {
      onFrame: onVideoFrame,
      sendControl: sendControl.video,
    })
    this.audio = new AudioReceiver(ssrcs.audio, this.#clock, { sendControl: sendControl.audio })
  }

  /** A stream of the browser, or 0 before the first packet. */
  get ssrc(): number {
    return this.video.streams.current?.ssrc ?? this.audio.streams.current?.ssrc ?? 0
  }

  set roundTripMs(roundTripMs: number) {
    this.#clock.roundTripMs = roundTripMs
  }

  /**
   * Takes one RTP packet, or counts what is none.
   * @param bytes lent for the call
   * @param feedback of the transport over which it came
   */
  onPacket(bytes: Buffer, routes: PacketRoutes, feedback: TransportFeedback, nowMs: number): void {
    const packet = this.#packet
    if (!packet.read(bytes)) {
      this.malformed++
      return
    }
    if (routes.transportSequenceId > 0) {
      const at = packet.extension(routes.transportSequenceId)
      if (at >= 0 && packet.extensionLength >= 2) feedback.onPacket(bytes.readUInt16BE(at), nowMs)
    }
    const route = routes.byPayloadType[packet.payloadType]
    if (!route) return
    if (route.kind === 'video') this.video.onPacket(packet, route.codec, nowMs)
    else if (route.kind === 'retransmission') this.video.onRetransmission(packet, route.codec, nowMs)
    else this.#onAudio(packet, route.kind === 'redundant audio', routes, nowMs)
  }

  #onAudio(packet: RtpPacketView, isRedundant: boolean, routes: PacketRoutes, nowMs: number): void {
    const level = audioLevel(packet, routes.audioLevelId)
    // Lost packets are retransmitted on request, so the redundant copies are not needed.
    if (isRedundant) {
      packet.payloadStart = newestBlockStart(packet.buffer, packet.payloadStart, packet.payloadEnd)
      if (packet.payloadStart < 0) return
    }
    this.audio.onPacket(packet, level, nowMs)
  }

  /**
   * Takes what a sender report says (RFC 3550, section 6.4.1).
   * @param ntpMs wall clock of the browser in milliseconds
   * @param ntpCompact its middle 32 bits, as reports give them back
   */
  onSenderReport(ssrc: number, ntpMs: number, ntpCompact: number, rtpTimestamp: number, nowMs: number): void {
    const streams = [this.video.streams.current, this.audio.streams.current]
    const stream = streams.find((known) => known?.ssrc === ssrc)
    if (!stream) return
    stream.onSenderReport(ntpCompact, nowMs)
    this.#clock.onSenderReport(ssrc, ntpMs, rtpTimestamp, nowMs)
  }

  /** Asks again for what is missing, and goes on without what will not come. */
  tick(nowMs: number, roundTripMs: number): void {
    this.video.tick(nowMs, roundTripMs)
    this.audio.tick(nowMs, roundTripMs)
  }

  /** Called once a second. */
  measure(nowMs: number): void {
    this.meters.audio.update(this.audio.bytes, nowMs)
    this.meters.video.update(this.video.bytes, nowMs)
    this.audio.leastTargetMs = this.video.holdMs
  }
}

/** Loudness in -dBov, 0 to 127 (RFC 6464), or null where the packet does not say it. */
function audioLevel(packet: RtpPacketView, id: number): number | null {
  const at = id > 0 ? packet.extension(id) : -1
  return at >= 0 ? packet.buffer[at]! & 0x7f : null
}
