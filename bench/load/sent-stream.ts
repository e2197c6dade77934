import { ntpMsOf } from '../../server/src/media-worker/transport/rtp/ntp.ts'
import type { SenderInfo } from '../../server/src/media-worker/transport/rtp/rtcp-writer.ts'
import { AUDIO_LEVEL_ID, TRANSPORT_SEQUENCE_ID } from './sdp.ts'

/** Fixed header, and two words of header extensions with their own head (RFC 8285, section 4.2). */
export const RTP_HEADER_BYTES = 12 + 4 + 8
const ONE_BYTE_PROFILE = 0xbede
/** The loudness of sound in -dBov, and whether it is a voice, as packets tell it (RFC 6464). */
export const AUDIO_LEVELS = { tone: 0x80 | 20, silence: 127 } as const

/** Transport-wide sequence numbers: one count over all streams of a connection. */
export class TransportSequence {
  #next = 0

  take(): number {
    this.#next = (this.#next + 1) & 0xffff
    return this.#next
  }
}

/** The RTP counters of a stream that a member sends, and the content of its sender reports. */
export class SentStream {
  readonly ssrc: number
  readonly #payloadType: number
  readonly #clockRate: number
  readonly #transport: TransportSequence
  readonly #audioLevel: number
  #sequence = 0
  #packets = 0
  #octets = 0

  constructor(
    ssrc: number,
    payloadType: number,
    clockRate: number,
    transport: TransportSequence,
    audioLevel: number = AUDIO_LEVELS.silence,
  ) {
    this.ssrc = ssrc
    this.#payloadType = payloadType
    this.#clockRate = clockRate
    this.#transport = transport
    this.#audioLevel = audioLevel
  }

  /**
   * Writes the header of the next packet, with the extensions of a browser: transport-wide sequence number and audio
   * level. The payload is already in place after the header.
   */
  stamp(packet: Buffer, mediaTimeMs: number, marker: boolean): void {
    packet[0] = 0x90
    packet[1] = this.#payloadType | (marker ? 0x80 : 0)
    packet.writeUInt16BE(this.#sequence++ & 0xffff, 2)
    packet.writeUInt32BE(this.#timestamp(mediaTimeMs), 4)
    packet.writeUInt32BE(this.ssrc, 8)
    packet.writeUInt16BE(ONE_BYTE_PROFILE, 12)
    packet.writeUInt16BE(2, 14)
    packet[16] = (TRANSPORT_SEQUENCE_ID << 4) | 1
    packet.writeUInt16BE(this.#transport.take(), 17)
    packet[19] = AUDIO_LEVEL_ID << 4
    packet[20] = this.#audioLevel
    packet.fill(0, 21, RTP_HEADER_BYTES)
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
