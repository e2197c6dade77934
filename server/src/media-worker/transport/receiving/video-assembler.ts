import type { VideoCodec } from '../../media-types.ts'
import { assembleH264, h264StartsKeyframe } from '../rtp/h264.ts'
import type { RtpPacketView } from '../rtp/rtp-packet.ts'
import { assembleVp8, vp8StartsKeyframe } from '../rtp/vp8.ts'
import type { VideoPacket } from './video-packet.ts'

/** Packets kept while a frame is incomplete: a power of two, several seconds of a fast camera. */
const CAPACITY = 1024
const EMPTY = Buffer.alloc(0)

/** A whole frame as {@link VideoAssembler} gives it. */
export interface AssembledFrame {
  codec: VideoCodec
  /** Owned by the receiver. */
  data: Buffer
  keyframe: boolean
  rtpTimestamp: number
}

export interface VideoAssemblerEvents {
  onFrame(frame: AssembledFrame): void
  /** Nothing can be shown until the next keyframe. */
  onKeyframeNeeded(): void
}

/**
 * Puts the packets of one camera together into whole frames, in decoding order. After a loss that stays it waits for a
 * keyframe, and it jumps to a later keyframe as soon as that is whole.
 */
export class VideoAssembler {
  /** Created with the first packet: most legs of a large room never send any. */
  #packets: VideoPacket[] = []
  readonly #frame: VideoPacket[] = []
  readonly #events: VideoAssemblerEvents
  #codec: VideoCodec
  /** First packet of the next frame, or -1 while only a keyframe helps. */
  #next = -1
  /** All packets from `#next` up to here, excluding this one, are there and belong to one frame. */
  #scanned = -1
  /** First packet of a keyframe that is not yet whole, ahead of `#next`; -1 for none. */
  #keyframe = -1
  #keyframeScanned = -1
  /** Frames up to here, excluding this one, are done. */
  #done = -1

  constructor(codec: VideoCodec, events: VideoAssemblerEvents) {
    this.#codec = codec
    this.#events = events
  }

  /** Whether nothing can be shown until a keyframe comes. */
  get waitingForKeyframe(): boolean {
    return this.#next < 0
  }

  /**
   * Takes a packet. Its buffer is kept until the frame is whole.
   * @param extended extended sequence number
   * @param payloadStart where the payload begins, which for a retransmission is not where the view says
   */
  push(codec: VideoCodec, extended: number, packet: RtpPacketView, payloadStart: number): void {
    if (codec !== this.#codec) {
      this.#codec = codec
      this.reset()
      this.#events.onKeyframeNeeded()
    }
    if (extended < this.#done) return
    if (this.#packets.length === 0) this.#packets = emptyPackets()
    const slot = this.#packets[extended % CAPACITY]!
    // Older by a whole round: what it belonged to is past repair.
    if (slot.extended > extended) return
    slot.extended = extended
    slot.buffer = packet.buffer
    slot.payloadStart = payloadStart
    slot.payloadEnd = packet.payloadEnd
    slot.timestamp = packet.timestamp
    slot.marker = packet.marker
    if (extended > this.#next && this.#keyframe < 0 && this.#startsKeyframe(slot))
      this.#watchKeyframe(extended)
    if (this.#next >= 0 && extended - this.#next >= CAPACITY) this.onLost(this.#next)
    if (this.#keyframe >= 0 && extended - this.#keyframe >= CAPACITY) this.onLost(this.#keyframe)
    this.#advance()
  }

  /** A packet will not come any more. */
  onLost(extended: number): void {
    if (extended < this.#done) return
    if (this.#keyframe >= 0 && extended >= this.#keyframe) {
      this.#keyframe = -1
      this.#findKeyframe(extended + 1)
    }
    if (this.#next >= 0) {
      this.#next = -1
      this.#events.onKeyframeNeeded()
      this.#advance()
    } else if (this.#keyframe < 0) {
      this.#events.onKeyframeNeeded()
    }
  }

  /** Forgets all packets: the stream began anew. */
  reset(): void {
    for (const slot of this.#packets) slot.extended = -1
    this.#next = this.#scanned = this.#keyframe = this.#keyframeScanned = this.#done = -1
  }

  #startsKeyframe({ buffer, payloadStart, payloadEnd }: VideoPacket): boolean {
    return this.#codec === 'VP8'
      ? vp8StartsKeyframe(buffer, payloadStart, payloadEnd)
      : h264StartsKeyframe(buffer, payloadStart, payloadEnd)
  }

  #watchKeyframe(extended: number): void {
    this.#keyframe = this.#keyframeScanned = extended
  }

  /** Looks among the packets already here for a keyframe that begins at or after `from`. */
  #findKeyframe(from: number): void {
    for (let extended = from; extended < from + CAPACITY; extended++) {
      const slot = this.#packets[extended % CAPACITY]!
      if (slot.extended === extended && this.#startsKeyframe(slot)) {
        this.#watchKeyframe(extended)
        return
      }
    }
  }

  #advance(): void {
    for (;;) {
      if (this.#next >= 0) {
        const end = this.#scan(this.#next, Math.max(this.#scanned, this.#next))
        if (end >= 0) {
          this.#emit(this.#next, end)
          continue
        }
        this.#scanned = -end - 1
      }
      if (this.#keyframe < 0 || this.#keyframe <= this.#next) return
      const end = this.#scan(this.#keyframe, this.#keyframeScanned)
      if (end < 0) {
        this.#keyframeScanned = -end - 1
        return
      }
      this.#emit(this.#keyframe, end)
    }
  }

  /**
   * Looks for the end of the frame that begins at `start`, going on at `from`.
   * @returns the number after the frame's last packet, or -1 - n where n is the first packet that is not there
   */
  #scan(start: number, from: number): number {
    let extended = from
    for (;;) {
      const slot = this.#packets[extended % CAPACITY]!
      if (slot.extended !== extended) return -extended - 1
      const first = this.#packets[start % CAPACITY]!
      const empty = slot.payloadStart >= slot.payloadEnd
      if (extended === start && empty) return extended + 1
      // The packet with the marker bit may not be the last for a sender that leaves it out.
      if (slot.timestamp !== first.timestamp) return extended
      if (slot.marker) return extended + 1
      extended++
    }
  }

  #emit(start: number, end: number): void {
    const frame = this.#frame
    frame.length = 0
    for (let extended = start; extended < end; extended++) {
      const slot = this.#packets[extended % CAPACITY]!
      if (slot.payloadStart < slot.payloadEnd) frame.push(slot)
    }
    const wasWaiting = this.#next < 0
    this.#next = this.#scanned = this.#done = end
    if (this.#keyframe >= 0 && this.#keyframe < end) {
      this.#keyframe = -1
      this.#findKeyframe(end)
    }
    // Padding alone, as browsers send it to probe the network.
    if (frame.length === 0) return
    const rtpTimestamp = frame[0]!.timestamp
    const assembled = this.#codec === 'VP8' ? assembleVp8(frame) : assembleH264(frame)
    for (const slot of frame) slot.buffer = EMPTY
    if (assembled && (assembled.keyframe || !wasWaiting)) {
      this.#events.onFrame({ codec: this.#codec, rtpTimestamp, ...assembled })
    } else {
      this.#next = -1
      this.#events.onKeyframeNeeded()
    }
  }
}

function emptyPackets(): VideoPacket[] {
  return Array.from({ length: CAPACITY }, () => ({
    extended: -1,
    buffer: EMPTY,
    payloadStart: 0,
    payloadEnd: 0,
    timestamp: 0,
    marker: false,
  }))
}
