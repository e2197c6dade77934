import { ntpMsOf } from '../../server/src/media-worker/transport/rtp/ntp.ts'
import type { SenderInfo } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'

export const RTP_HEADER_BYTES = 12

/** The RTP counters of a stream that a member sends, and the content of its sender reports. */
export class SentStream {
  readonly ssrc: number
  readonly #payloadType: number
  readonly #clockRate: number
  #sequence = 0
  #packets = 0
  #octets = 0

  constructor(ssrc: number, payloadType: number, clockRate: number) {
    this.ssrc = ssrc
    this.#payloadType = payloadType
    this.#clockRate = clockRate
  }

  /** Writes the header of the next packet. Its payload is already in place after the header. */
  stamp(packet: Buffer, mediaTimeMs: number, marker: boolean): void {
    packet[0] = 0x80
    packet[1] = this.#payloadType | (marker ? 0x80 : 0)
    packet.writeUInt16BE(this.#sequence++ & 0xffff, 2)
    packet.writeUInt32BE(this.#timestamp(mediaTimeMs), 4)
    packet.writeUInt32BE(this.ssrc, 8)
    this.#packets++
    this.#octets += packet.length - RTP_HEADER_BYTES
  }

  senderInfo(nowMs: number): SenderInfo {
    return {
      ntpMs: ntpMsOf(nowMs),
      rtpTimestamp: this.#timestamp(nowMs),
      packetCount: this.#packets,
      octetCount: this.#octets,
    }
  }

  #timestamp(timeMs: number): number {
    return Math.round((timeMs * this.#clockRate) / 1000) >>> 0
  }
}
