import { RTP_FIXED_HEADER_BYTES } from '../../rtp/rtp-packet.ts'
import type { Memory } from '../memory.ts'
import { packetIndex, rolloverCounterOf } from './packet-index.ts'
import { rtpHeaderBytes } from './rtp-header.ts'
import { MOST_RTCP_INDEX, RTCP_CLEAR_BYTES, type Transform } from './transform.ts'

/** Streams that one connection sends: sound, picture, retransmissions, and what a renegotiation may add. */
const MOST_STREAMS = 64

/** Protects what is sent over one connection. */
export class SrtpSender {
  readonly #transform: Transform
  /** Highest packet index of each SSRC. */
  readonly #highest = new Map<number, number>()
  /** Counts on with every RTCP packet, whatever its SSRC. */
  nextRtcpIndex = 1

  /** @param transform is closed with this */
  constructor(transform: Transform) {
    this.#transform = transform
  }

  /** Bytes that an RTP packet grows by. */
  get rtpOverhead(): number {
    return this.#transform.rtpOverhead
  }

  /**
   * Protects an RTP packet in place. A packet that is sent once more, or late, gets the index that it had or would have had.
   * @returns its new length, or -1 where it cannot be sent
   */
  protect(memory: Memory, at: number, length: number): number {
    const { bytes } = memory
    if (length < RTP_FIXED_HEADER_BYTES) return -1
    const headerBytes = rtpHeaderBytes(bytes, at, length)
    if (headerBytes < 0) return -1
    const ssrc = bytes.readUInt32BE(at + 8)
    const highest = this.#highest.get(ssrc) ?? -1
    if (highest < 0 && this.#highest.size >= MOST_STREAMS) return -1
    const index = packetIndex(bytes.readUInt16BE(at + 2), highest)
    if (index < 0) return -1
    if (index > highest) this.#highest.set(ssrc, index)
    this.#transform.sealRtp(memory, at, headerBytes, length, rolloverCounterOf(index))
    return length + this.#transform.rtpOverhead
  }

  /** Protects an RTCP packet in place. @returns its new length, or -1 where it cannot be sent */
  protectRtcp(memory: Memory, at: number, length: number): number {
    if (length < RTCP_CLEAR_BYTES || this.nextRtcpIndex > MOST_RTCP_INDEX) return -1
    this.#transform.sealRtcp(memory, at, length, this.nextRtcpIndex++)
    return length + this.#transform.rtcpOverhead
  }

  /** Idempotent. */
  close(): void {
    this.#transform.close()
  }
}
