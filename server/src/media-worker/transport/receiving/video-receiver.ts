import type { ReceivedVideoFrame, VideoCodec } from '../../media-types.ts'
import { RecentLosses } from '../recent-losses.ts'
import { writePictureLoss } from '../rtp/rtcp-writer.ts'
import type { RtpPacketView } from '../rtp/rtp-packet.ts'
import { RepairHold } from './repair-hold.ts'
import type { SenderClock } from './sender-clock.ts'
import { SuccessiveStreams } from './successive-streams.ts'
import { VideoAssembler } from './video-assembler.ts'

const CLOCK_RATE = 90_000
/** How long a missing packet is asked for at least; then a keyframe is quicker. */
const REPAIR_WINDOW_MS = 700
/** The first packets of a stream may be lost before we know of it. */
const FIRST_KEYFRAME_PATIENCE_MS = 200
const LEAST_KEYFRAME_RETRY_MS = 250
const MOST_KEYFRAME_RETRY_MS = 3000

export interface VideoReceiverEvents {
  onFrame(frame: ReceivedVideoFrame): void
  /** Sends an RTCP packet to the browser. */
  sendControl: (packet: Buffer) => void
}

/** Receives the camera of one leg: from RTP packets to whole frames, with the repair of losses. */
export class VideoReceiver {
  /** What the camera sends: the current stream, and counts over all of them. */
  readonly streams: SuccessiveStreams
  readonly #senderSsrc: number
  readonly #events: VideoReceiverEvents
  readonly #assembler: VideoAssembler
  readonly #losses = new RecentLosses()
  /** Created with the first packet: most legs of a large room never send any. */
  #hold: RepairHold | null = null
  #startedAtMs = 0
  #arrivedAtMs = 0
  #keyframeWanted = false
  #keyframeAskedAtMs = Number.NEGATIVE_INFINITY
  #keyframeRetryMs = 0
  bytes = 0
  frames = 0
  keyframeRequestsSent = 0

  /** @param senderSsrc our own, named as the sender of RTCP */
  constructor(senderSsrc: number, clock: SenderClock, events: VideoReceiverEvents) {
    this.#senderSsrc = senderSsrc
    this.#events = events
    this.streams = new SuccessiveStreams({
      clockRate: CLOCK_RATE,
      repairWindowMs: REPAIR_WINDOW_MS,
      senderSsrc,
      clock,
      sendControl: events.sendControl,
      events: {
        onAbandoned: (extended) => this.#assembler.onLost(extended),
        onRecovered: () => this.#losses.add(this.#arrivedAtMs),
        onRestart: () => this.#assembler.reset(),
      },
    })
    this.#assembler = new VideoAssembler('VP8', {
      onFrame: (frame) => {
        this.frames++
        if (frame.keyframe) this.#keyframeWanted = false
        const arrivedAtMs = this.#arrivedAtMs
        const { ssrc } = this.streams.current!
        const capturedAtMs = clock.capturedAtMs(ssrc, frame.rtpTimestamp, CLOCK_RATE, arrivedAtMs)
        const dueAtMs = this.#hold!.dueAtMs(frame.rtpTimestamp, arrivedAtMs)
        events.onFrame({ ...frame, capturedAtMs, arrivedAtMs, dueAtMs })
      },
      onKeyframeNeeded: () => this.requestKeyframe(),
    })
  }

  /** Takes a packet of the main stream. */
  onPacket(packet: RtpPacketView, codec: VideoCodec, nowMs: number): void {
    if (this.streams.current?.ssrc !== packet.ssrc && !this.#begin(packet.ssrc, nowMs)) return
    this.bytes += packet.payloadLength
    this.#take(packet, codec, packet.sequence, packet.payloadStart, nowMs, false)
  }

  /**
   * Takes a retransmission (RFC 4588): its payload begins with the sequence number of the packet it repeats. Browsers
   * also probe the network with such packets, empty or repeating what has long arrived.
   */
  onRetransmission(packet: RtpPacketView, codec: VideoCodec, nowMs: number): void {
    if (!this.streams.current || packet.payloadLength < 2) return
    const sequence = packet.buffer.readUInt16BE(packet.payloadStart)
    this.#take(packet, codec, sequence, packet.payloadStart + 2, nowMs, true)
  }

  #take(
    packet: RtpPacketView,
    codec: VideoCodec,
    sequence: number,
    payloadStart: number,
    nowMs: number,
    retransmitted: boolean,
  ): void {
    this.#arrivedAtMs = nowMs
    const stream = this.streams.current!
    const extended = stream.onPacket(sequence, packet.timestamp, nowMs, retransmitted)
    if (extended < 0) return
    this.#assembler.push(codec, extended, packet, payloadStart)
    if (stream.hasNewGap) this.streams.askForMissing(nowMs)
  }

  /** @returns false where streams restart more often than a browser's do */
  #begin(ssrc: number, nowMs: number): boolean {
    if (!this.streams.begin(ssrc, nowMs)) return false
    this.#startedAtMs = nowMs
    this.#assembler.reset()
    this.#hold = new RepairHold(this.#losses)
    return true
  }

  /** How long after the fastest possible arrival pictures are shown, for the lost packets; 0 on a good network. */
  get holdMs(): number {
    return this.#hold?.holdMs ?? 0
  }

  /** Asks the browser for a keyframe, and goes on asking until one comes. */
  requestKeyframe(): void {
    if (this.#keyframeWanted) return
    this.#keyframeWanted = true
    this.#keyframeRetryMs = 0
  }

  /** Asks for the missing packets and the keyframes that are due. Called every 10 ms. */
  tick(nowMs: number, roundTripMs: number): void {
    const stream = this.streams.current
    this.streams.roundTripMs = roundTripMs
    if (this.#hold) this.#hold.roundTripMs = roundTripMs
    if (!stream) return
    this.streams.askForMissing(nowMs)
    const patient = nowMs - this.#startedAtMs < FIRST_KEYFRAME_PATIENCE_MS
    if (this.#assembler.waitingForKeyframe && !patient) this.requestKeyframe()
    if (this.#keyframeWanted) this.#askForKeyframe(stream.ssrc, nowMs, roundTripMs)
  }

  #askForKeyframe(ssrc: number, nowMs: number, roundTripMs: number): void {
    const leastMs = Math.max(LEAST_KEYFRAME_RETRY_MS, roundTripMs * 1.5 + 50)
    if (nowMs - this.#keyframeAskedAtMs < Math.max(leastMs, this.#keyframeRetryMs)) return
    this.#keyframeAskedAtMs = nowMs
    this.#keyframeRetryMs = Math.min(MOST_KEYFRAME_RETRY_MS, 1.5 * Math.max(leastMs, this.#keyframeRetryMs))
    this.keyframeRequestsSent++
    this.#events.sendControl(writePictureLoss(this.#senderSsrc, ssrc))
  }
}
