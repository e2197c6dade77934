import { TokenBucket } from '../../../token-bucket.ts'
import { type Numbering, writeTransportNumber } from './numbering.ts'
import { Pacer } from './pacer.ts'
import { type HistorySlot, MOST_VIDEO_PAYLOAD_BYTES } from './packet-history.ts'
import { Padding } from './padding.ts'
import { SendStream } from './send-stream.ts'
import { SourcePosition } from './source-position.ts'
import {
  absoluteSendTime,
  playoutDelay,
  prepareVideoHeader,
  VIDEO_HEADER_BYTES,
  VIDEO_TIMING_AT,
  writeVideoHeader,
} from './video-header.ts'
import type { VideoSource } from './video-source.ts'

const CLOCK_RATE = 90_000
/** Retransmissions that one browser gets in a second, and at once: a request may name thousands of packets. */
const RETRANSMISSIONS_PER_SECOND = 1000
const RETRANSMISSIONS_AT_ONCE = 500
/**
 * Keyframes that one browser may cause in a second, and at once. Everybody gets them, and each is as large as many
 * pictures; browsers ask again until one comes.
 */
const KEYFRAMES_PER_SECOND = 1
const KEYFRAMES_AT_ONCE = 4
/** A keyframe that was asked for and has not come by then is asked for again. */
const KEYFRAME_OVERDUE_MS = 1000
/**
 * Each retransmission is sent twice: if the only copy were lost, the next one would take a whole round trip more, which is
 * visible. The second copies cost as much bitrate as packets are lost. Above this share of loss they would only add to the
 * congestion, so they are not sent.
 */
const CLOGGED_LOSS = 0.15
/** Distance of the two copies, because networks often lose several packets in a row. */
const SECOND_COPY_AFTER_MS = 20
/**
 * Packets of one turn: as many as can be handed over to the network together (UDP segmentation offload), and few enough that a
 * keyframe to hundreds of browsers reaches all of them about at once.
 */
const CHUNK_PACKETS = 10
/** A picture that waits longer than this to be sent is left out, with those after it up to the next keyframe. */
const LONGEST_WAIT_MS = 1500
/** Of one tick. */
const MOST_PADDING_PACKETS = 4
/** The sequence number of the packet that is repeated (RFC 4588, section 4). */
const ORIGINAL_SEQUENCE_BYTES = 2

export interface VideoSenderOptions {
  /**
   * Sends an RTP packet to the browser, at the latest with the next {@link flush}. Tells whether it goes out. The packet is valid
   * only during the call.
   */
  send: (packet: Buffer) => boolean
  /** Packets that belong together have been sent. */
  flush?: () => void
  /** Something waits for {@link VideoSender.tick}. */
  onPending?: () => void
}

/** A second copy that is due later. */
interface LaterCopy {
  /** As the source counts. */
  wanted: number
  /** As this browser's stream counts. */
  sequence: number
  dueAtMs: number
}

/** The video stream to one browser, made from a source's packets by changing only their headers. */
export class VideoSender {
  readonly stream = new SendStream(CLOCK_RATE)
  /** Retransmissions have a stream of their own (RFC 4588), where the browser takes them so. */
  readonly retransmissions = new SendStream(CLOCK_RATE)
  /** Negotiated payload type of retransmissions, or 0 where they are sent as they were. */
  retransmissionPayloadType = 0
  /** Negotiated ids of abs-send-time and of playout-delay, or 0. */
  sendTimeExtensionId = 0
  playoutDelayExtensionId = 0
  /**
   * The transport-wide numbers that packets carry, with the extension's negotiated id. Null where the browser does not report
   * by them, and where retransmissions repeat packets byte for byte: there nothing in them may change.
   */
  numbering: Numbering | null = null
  /** Nothing is sent twice for safety: the network carries little, and losses come from too much. */
  isSparing = false
  retransmitted = 0
  nacksReceived = 0
  keyframeRequestsReceived = 0
  readonly #retransmissionBudget = new TokenBucket(RETRANSMISSIONS_AT_ONCE, RETRANSMISSIONS_PER_SECOND)
  readonly #keyframeBudget = new TokenBucket(KEYFRAMES_AT_ONCE, KEYFRAMES_PER_SECOND)
  /** Since when a requested keyframe is awaited; null where none is. */
  #keyframeAskedAtMs: number | null = null
  /** Packets were left out: nothing can be shown before a keyframe. */
  #pictureLost = false
  readonly #send: (packet: Buffer) => boolean
  readonly #flush: () => void
  readonly #onPending: () => void
  readonly #scratch = Buffer.alloc(VIDEO_HEADER_BYTES + ORIGINAL_SEQUENCE_BYTES + MOST_VIDEO_PAYLOAD_BYTES)
  readonly #laterCopies: LaterCopy[] = []
  /** What packets say in the playout-delay extension; 0 before there was anything to say. */
  #playoutDelay = 0
  /** How fast new pictures leave. Retransmissions leave at once, and count. */
  readonly pacer = new Pacer()
  readonly #padding = new Padding()
  /** A packet that is worth repeating as padding, as the source counts. */
  #largest = -1
  #largestBytes = 0
  readonly #position = new SourcePosition(this.stream.timestampOffset)
  #connected = false
  #retransmissionSequence = Math.floor(Math.random() * 0x8000)

  constructor({ send, flush = () => {}, onPending = () => {} }: VideoSenderOptions) {
    this.#send = send
    this.#flush = flush
    this.#onPending = onPending
    prepareVideoHeader(this.#scratch)
  }

  /** Attaches to a source, or to none. The stream goes on with the source's next keyframe, or begins with a recent one. */
  attach(source: VideoSource | null): void {
    this.#laterCopies.length = 0
    this.#position.attach(source)
    this.#keyframeAskedAtMs = null
    if (source && this.#connected) this.#begin(source)
  }

  /** Not everybody who enters shall cause a keyframe: it costs all others as much as several pictures. */
  #begin(source: VideoSource): void {
    if (this.#position.beginWithRecent()) this.#onPending()
    else source.onKeyframeNeeded()
  }

  /** Goes over to another source with its next keyframe. Until then the stream goes on with the one it has. */
  switchTo(source: VideoSource): void {
    this.#position.switchTo(source)
    this.#onPending()
    this.#keyframeAskedAtMs = null
    if (this.#connected) source.onKeyframeNeeded()
  }

  /**
   * Fills up what is sent to this rate in bit/s with packets once more, so that one learns whether the network carries it; 0 for no
   * padding. Where retransmissions have no stream of their own, there is none.
   */
  set paddedBps(bps: number) {
    this.#padding.bps = bps
    if (bps > 0) this.#onPending()
  }

  /** Whether packets can be sent; while they cannot, the source's are passed over. */
  setConnected(connected: boolean): void {
    if (connected === this.#connected) return
    this.#connected = connected
    this.#position.skip()
    this.#keyframeAskedAtMs = null
    const { source } = this.#position
    if (connected && source) this.#begin(source)
  }

  /**
   * Asks the browser to show pictures no earlier than this after their capture, so that lost packets can come again. Where
   * retransmissions repeat packets byte for byte, nothing in them may change: there this does nothing.
   */
  setPlayoutDelay(leastMs: number): void {
    if (this.retransmissionPayloadType === 0 || (leastMs === 0 && this.#playoutDelay === 0)) return
    this.#playoutDelay = playoutDelay(leastMs)
  }

  /**
   * Sends some of the source's packets that are new, as far as the pacer lets them. The headers of their slots are overwritten.
   * @returns whether there are more that could be sent at once
   */
  sendChunk(nowMs: number): boolean {
    const hasMore = this.#sendNew(nowMs)
    this.#flush()
    if (this.#position.hasMore) this.#onPending()
    return hasMore
  }

  #sendNew(nowMs: number): boolean {
    const position = this.#position
    if (!this.#connected) {
      position.skip()
      return false
    }
    for (let sent = 0; sent < CHUNK_PACKETS; sent++) {
      if (!this.pacer.isOpen(nowMs)) return false
      const began = !position.waitsForKeyframe
      const slot = position.peek()
      const isTooOld = slot !== null && nowMs - slot.queuedAtMs > LONGEST_WAIT_MS
      if (isTooOld) position.skip()
      if (isTooOld || (began && position.waitsForKeyframe)) this.#loseThePicture()
      if (!slot || position.waitsForKeyframe) break
      position.advance(slot)
      this.#forward(slot, nowMs)
    }
    if (this.#pictureLost) this.#askForKeyframe(nowMs)
    return position.hasMore
  }

  /** Packets were left out. A keyframe that was asked for before may have been among them. */
  #loseThePicture(): void {
    this.#pictureLost = true
    this.#keyframeAskedAtMs = null
  }

  #forward(slot: HistorySlot, nowMs: number): void {
    if (slot.beginsKeyframe) {
      this.#keyframeAskedAtMs = null
      this.#pictureLost = false
      this.#largestBytes = 0
    }
    if (slot.length >= this.#largestBytes) {
      this.#largestBytes = slot.length
      this.#largest = slot.sequence
    }
    this.#transmit(slot, nowMs)
    const { stream } = this
    stream.packets++
    stream.octets += slot.length
    if (slot.marker) stream.onSent(this.#position.timestampOf(slot), slot.capturedAtMs)
  }

  /**
   * Without numbering, calling it again sends the same bytes: SRTP forbids different contents for the same sequence number.
   */
  #transmit(slot: HistorySlot, nowMs: number): void {
    const { stream } = this
    writeVideoHeader(
      slot.bytes,
      stream.payloadType,
      slot.marker,
      this.#position.sequenceOf(slot),
      this.#position.timestampOf(slot),
      stream.ssrc,
      this.sendTimeExtensionId,
      slot.sendTime,
      this.#playoutDelay === 0 ? 0 : this.playoutDelayExtensionId,
      this.#playoutDelay,
    )
    this.#sendNumbered(slot.packet, nowMs)
  }

  #sendNumbered(packet: Buffer, nowMs: number): void {
    const { numbering } = this
    if (numbering) writeTransportNumber(packet, VIDEO_TIMING_AT, numbering.extensionId, numbering.sent.next)
    if (this.#send(packet)) numbering?.sent.onSent(packet.length, nowMs)
    this.pacer.onSent(packet.length)
    this.#padding.onSent(packet.length)
  }

  /** The browser misses a packet. */
  onNack(sequence: number, nowMs: number): void {
    this.nacksReceived++
    if (!this.#connected || !this.#retransmissionBudget.has(nowMs)) return
    const wanted = this.#position.sentAs(sequence)
    const slot = this.#position.find(wanted)
    if (!slot) return
    this.#repeat(slot, sequence, nowMs)
    if (
      this.isSparing ||
      this.stream.fractionLost > CLOGGED_LOSS ||
      this.#laterCopies.length >= RETRANSMISSIONS_AT_ONCE
    )
      return
    this.#laterCopies.push({ wanted, sequence, dueAtMs: nowMs + SECOND_COPY_AFTER_MS })
    this.#onPending()
  }

  /** Whether {@link tick} has something to do, now or soon. */
  get isPending(): boolean {
    const { hasMore, isSwitching } = this.#position
    return hasMore || isSwitching || this.#laterCopies.length > 0 || this.#padding.bps > 0
  }

  /**
   * Sends what the pacer held back or the source before a switch still has, and the second copies that are due. Called every
   * 10 ms while something {@link isPending}.
   */
  tick(nowMs: number): void {
    if (this.#position.hasMore) this.sendChunk(nowMs)
    this.#pad(nowMs)
    while (this.#laterCopies.length > 0 && this.#laterCopies[0]!.dueAtMs <= nowMs) {
      const { wanted, sequence } = this.#laterCopies.shift()!
      const slot = this.#position.find(wanted)
      if (slot && this.#connected) this.#repeat(slot, sequence, nowMs)
    }
  }

  /** Browsers know packets that come once more from retransmissions, and drop them. */
  #pad(nowMs: number): void {
    if (this.#padding.bps === 0 || !this.#connected || this.retransmissionPayloadType === 0) return
    const slot = this.#position.find(this.#largest) ?? this.#position.newest
    if (!slot) return
    for (let i = 0; i < MOST_PADDING_PACKETS && this.#padding.isDue(nowMs, slot.packet.length); i++)
      this.#retransmit(slot, this.#position.sequenceOf(slot), nowMs)
    this.#flush()
  }

  #repeat(slot: HistorySlot, sequence: number, nowMs: number): void {
    if (!this.#retransmissionBudget.take(nowMs)) return
    this.retransmitted++
    if (this.retransmissionPayloadType === 0) this.#transmit(slot, nowMs)
    else this.#retransmit(slot, sequence, nowMs)
    this.#flush()
  }

  #retransmit(slot: HistorySlot, originalSequence: number, nowMs: number): void {
    const { retransmissions } = this
    const packet = this.#scratch
    writeVideoHeader(
      packet,
      this.retransmissionPayloadType,
      slot.marker,
      this.#retransmissionSequence,
      this.#position.timestampOf(slot),
      retransmissions.ssrc,
      this.sendTimeExtensionId,
      absoluteSendTime(nowMs),
      this.#playoutDelay === 0 ? 0 : this.playoutDelayExtensionId,
      this.#playoutDelay,
    )
    packet.writeUInt16BE(originalSequence, VIDEO_HEADER_BYTES)
    const payloadAt = VIDEO_HEADER_BYTES + ORIGINAL_SEQUENCE_BYTES
    slot.bytes.copy(packet, payloadAt, slot.start, slot.start + slot.length)
    this.#retransmissionSequence = (this.#retransmissionSequence + 1) & 0xffff
    this.#sendNumbered(packet.subarray(0, payloadAt + slot.length), nowMs)
    retransmissions.packets++
    retransmissions.octets += ORIGINAL_SEQUENCE_BYTES + slot.length
  }

  /** The browser has lost the picture. */
  onKeyframeRequest(nowMs: number): void {
    this.keyframeRequestsReceived++
    this.#askForKeyframe(nowMs)
  }

  #askForKeyframe(nowMs: number): void {
    const isAwaited =
      this.#keyframeAskedAtMs !== null && nowMs - this.#keyframeAskedAtMs < KEYFRAME_OVERDUE_MS
    if (isAwaited || !this.#keyframeBudget.take(nowMs)) return
    this.#keyframeAskedAtMs = nowMs
    this.#position.source?.onKeyframeNeeded()
  }
}
