import { RTP_FIXED_HEADER_BYTES } from '../../rtp/rtp-packet.ts'
import type { Memory } from '../memory.ts'
import { packetIndex, rolloverCounterOf } from './packet-index.ts'
import { rtpHeaderBytes } from './rtp-header.ts'
import { MOST_RTCP_INDEX, RTCP_CLEAR_BYTES, type Transform } from './transform.ts'

/** Streams that one connection sends: sound, picture, retransmissions, and what a renegotiation may add. */
const MOST_STREAMS = 64

/** What was sent with one SSRC. */
interface SentStream {
  ssrc: number
  /** The highest packet index so far, or -1. */
  highest: number
}

/** Protects what is sent over one connection. */
export class SrtpSender {
  readonly #transform: Transform
  readonly #streams: SentStream[] = []
  /** Packets of one stream follow each other, so it is nearly always the one that is asked for. */
  #latest: SentStream = { ssrc: -1, highest: -1 }
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
    const stream = this.#streamOf(bytes.readUInt32BE(at + 8))
    if (!stream) return -1
    const index = packetIndex(bytes.readUInt16BE(at + 2), stream.highest)
    if (index < 0) return -1
    if (index > stream.highest) stream.highest = index
    this.#transform.sealRtp(memory, at, headerBytes, length, rolloverCounterOf(index))
    return length + this.#transform.rtpOverhead
  }

  /** @returns null where there are too many */
  #streamOf(ssrc: number): SentStream | null {
    if (this.#latest.ssrc === ssrc) return this.#latest
    let stream = this.#streams.find((each) => each.ssrc === ssrc)
    if (!stream) {
      if (this.#streams.length >= MOST_STREAMS) return null
      stream = { ssrc, highest: -1 }
      this.#streams.push(stream)
    }
    this.#latest = stream
    return stream
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
