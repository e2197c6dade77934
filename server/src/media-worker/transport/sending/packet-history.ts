import type { PayloadSlot } from './payload-slot.ts'
import { VIDEO_HEADER_BYTES } from './video-header.ts'

/** Packets kept for retransmission: a power of two, and no more than SRTP's own window of 1024. */
const CAPACITY = 1024
/** With SRTP, UDP and IP around it and two bytes more in a retransmission, below every usual MTU. */
export const MOST_VIDEO_PAYLOAD_BYTES = 1172

/** One packet of the encoder, with room before the payload for each receiver's header. */
export interface HistorySlot extends PayloadSlot {
  /** Counted by the fan-out, without bound. */
  sequence: number
  /** The room's, modulo 2^32. */
  timestamp: number
  /** Last packet of its frame. */
  marker: boolean
  /** First packet of a keyframe: here a browser may begin. */
  beginsKeyframe: boolean
  /** When it was sent first, as abs-send-time has it: 24 bits, 6.18 fixed point seconds. */
  sendTime: number
  capturedAtMs: number
  /** When it came here, on this process's clock. */
  queuedAtMs: number
  /** Header and payload, exactly. */
  packet: Buffer
}

/** The last packets of one encoded stream, for all browsers that receive it. */
export class PacketHistory {
  readonly #slots: HistorySlot[]
  #end = 0

  constructor() {
    const size = VIDEO_HEADER_BYTES + MOST_VIDEO_PAYLOAD_BYTES
    const memory = Buffer.alloc(size * CAPACITY)
    this.#slots = Array.from({ length: CAPACITY }, (_, index) => {
      const bytes = memory.subarray(index * size, (index + 1) * size)
      return {
        bytes,
        start: VIDEO_HEADER_BYTES,
        length: 0,
        sequence: -1,
        timestamp: 0,
        marker: false,
        beginsKeyframe: false,
        sendTime: 0,
        capturedAtMs: 0,
        queuedAtMs: 0,
        packet: bytes,
      }
    })
  }

  /** Sequence number of the packet that is opened next. */
  get end(): number {
    return this.#end
  }

  /** Takes the place of the oldest packet for a new one. */
  open(): HistorySlot {
    const slot = this.#slots[this.#end % CAPACITY]!
    slot.sequence = this.#end++
    return slot
  }

  /** @returns null where the packet is too old, or not sent yet */
  find(sequence: number): HistorySlot | null {
    if (sequence < 0) return null
    const slot = this.#slots[sequence % CAPACITY]!
    return slot.sequence === sequence ? slot : null
  }
}
