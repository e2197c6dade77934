import { TokenBucket } from '../../../token-bucket.ts'
import type { ReceivedVideoFrame, VideoCodec } from '../../media-types.ts'
import { writeNack, writePictureLoss } from '../rtp/rtcp-writer.ts'
import type { RtpPacketView } from '../rtp/rtp-packet.ts'
import { ReceiveStream, STREAM_RESTARTS_AT_ONCE, STREAM_RESTARTS_PER_SECOND } from './receive-stream.ts'
import { Recoveries } from './recoveries.ts'
import { RepairHold } from './repair-hold.ts'
import type { SenderClock } from './sender-clock.ts'
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
  sendControl(packet: Buffer): void
}

/** Receives the camera of one leg: from RTP packets to whole frames, with the repair of losses. */
export class VideoReceiver {
  readonly #senderSsrc: number
  readonly #clock: SenderClock
  readonly #events: VideoReceiverEvents
  readonly #assembler: VideoAssembler
  readonly #nacks: number[] = []
  readonly #recoveries = new Recoveries()
  /** Created with the first packet: most legs of a large room never send any. */
  #hold: RepairHold | null = null
  readonly #restarts = new TokenBucket(STREAM_RESTARTS_AT_ONCE, STREAM_RESTARTS_PER_SECOND)
  #stream: ReceiveStream | null = null
  #roundTripMs = 0
  #startedAtMs = 0
  #arrivedAtMs = 0
  #keyframeWanted = false
  #keyframeAskedAtMs = Number.NEGATIVE_INFINITY
  #keyframeRetryMs = 0
  #before = { packets: 0, lost: 0, recovered: 0 }
  bytes = 0
  frames = 0
  nacksSent = 0
  keyframeRequestsSent = 0

  /** @param senderSsrc our own, named as the sender of RTCP */
  constructor(senderSsrc: number, clock: SenderClock, events: VideoReceiverEvents) {
    this.#senderSsrc = senderSsrc
    this.#clock = clock
    this.#events = events
    this.#assembler = new VideoAssembler('VP8', {
      onFrame: (frame) => {
        this.frames++
        if (frame.keyframe) this.#keyframeWanted = false
        const captured = clock.capturedAtMs(this.#stream!.ssrc, frame.rtpTimestamp, CLOCK_RATE)
        const arrivedAtMs = this.#arrivedAtMs
        const capturedAtMs = captured === null ? null : Math.min(captured, arrivedAtMs)
        const dueAtMs = this.#hold!.dueAtMs(frame.rtpTimestamp, arrivedAtMs)
        events.onFrame({ ...frame, capturedAtMs, arrivedAtMs, dueAtMs })
      },
      onKeyframeNeeded: () => this.requestKeyframe(),
    })
  }

  /** The stream as it comes in now, or null before its first packet. */
  get stream(): ReceiveStream | null {
    return this.#stream
  }

  get packets(): number {
    return this.#before.packets + (this.#stream?.packets ?? 0)
  }

  get lost(): number {
    return this.#before.lost + (this.#stream?.lost ?? 0)
  }

  get recovered(): number {
    return this.#before.recovered + (this.#stream?.recovered ?? 0)
  }

  /** Takes a packet of the main stream. */
  onPacket(packet: RtpPacketView, codec: VideoCodec, nowMs: number): void {
    if (this.#stream?.ssrc !== packet.ssrc && !this.#begin(packet.ssrc, nowMs)) return
    this.bytes += packet.payloadLength
    this.#take(packet, codec, packet.sequence, packet.payloadStart, nowMs, false)
  }

  /**
   * Takes a retransmission (RFC 4588): its payload begins with the sequence number of the packet it repeats. Browsers
   * also probe the network with such packets, empty or repeating what has long arrived.
   */
  onRetransmission(packet: RtpPacketView, codec: VideoCodec, nowMs: number): void {
    if (!this.#stream || packet.payloadLength < 2) return
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
    const extended = this.#stream!.onPacket(sequence, packet.timestamp, nowMs, retransmitted)
    if (extended < 0) return
    this.#assembler.push(codec, extended, packet, payloadStart)
    if (this.#stream!.hasNewGap) this.#askForMissing(nowMs)
  }

  /** @returns false where streams restart more often than a browser's do */
  #begin(ssrc: number, nowMs: number): boolean {
    if (!this.#restarts.take(nowMs)) return false
    if (this.#stream) {
      this.#before = { packets: this.packets, lost: this.lost, recovered: this.recovered }
      this.#clock.forget(this.#stream.ssrc)
    }
    this.#stream = new ReceiveStream(ssrc, CLOCK_RATE, REPAIR_WINDOW_MS, {
      onAbandoned: (extended) => this.#assembler.onLost(extended),
      onRecovered: () => this.#recoveries.add(this.#arrivedAtMs),
      onRestart: () => this.#assembler.reset(),
    })
    this.#startedAtMs = nowMs
    this.#assembler.reset()
    this.#hold = new RepairHold(this.#recoveries)
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

  #askForMissing(nowMs: number): void {
    const stream = this.#stream!
    this.#nacks.length = 0
    stream.collectNacks(nowMs, this.#roundTripMs, this.#nacks)
    if (this.#nacks.length === 0) return
    this.nacksSent += this.#nacks.length
    this.#events.sendControl(writeNack(this.#senderSsrc, stream.ssrc, this.#nacks))
  }

  /** Asks for the missing packets and the keyframes that are due. Called every 10 ms. */
  tick(nowMs: number, roundTripMs: number): void {
    const stream = this.#stream
    this.#roundTripMs = roundTripMs
    if (!stream) return
    this.#askForMissing(nowMs)
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
