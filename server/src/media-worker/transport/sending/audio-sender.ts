import type { EncodedAudioPacket } from '../../media-types.ts'
import { RTP_FIXED_HEADER_BYTES } from '../rtp/rtp-packet.ts'
import { type Numbering, TRANSPORT_NUMBER_BYTES, writeTransportNumber } from './numbering.ts'
import { SendStream } from './send-stream.ts'

const CLOCK_RATE = 48_000
/** Longer than this does not fit into one packet; our encoder makes a tenth of it. */
const MOST_PAYLOAD_BYTES = 1180
/** What the header of a redundant block can say: its length and how much earlier it is (RFC 2198, section 3). */
const MOST_BLOCK_BYTES = 0x3ff
const MOST_BLOCK_OFFSET = 0x3fff
const BLOCK_HEADER_BYTES = 4
const LAST_BLOCK_HEADER_BYTES = 1
/** With the header extension of one element and its frame (RFC 8285, section 4.2). */
const NUMBERED_HEADER_BYTES = RTP_FIXED_HEADER_BYTES + 4 + TRANSPORT_NUMBER_BYTES
const ONE_WORD_EXTENSION = 0xbede0001
const ANOTHER_BLOCK_FOLLOWS = 0x80

/** A payload that was sent, for the packets after it to carry once more. */
interface SentPayload {
  bytes: Buffer
  /** 0 where there is none. */
  length: number
  rtpTimestamp: number
}

/** What one browser hears. */
export class AudioSender {
  readonly stream = new SendStream(CLOCK_RATE)
  /** Negotiated payload type of redundant audio data (RFC 2198), or 0 where the browser does not take it. */
  redundancyPayloadType = 0
  /** How many of the packets before it each packet carries once more, where the browser takes that. */
  redundantPackets: 0 | 1 | 2 = 0
  /** The transport-wide numbers that packets carry; null where they carry none. */
  numbering: Numbering | null = null
  readonly #packet = Buffer.alloc(NUMBERED_HEADER_BYTES + MOST_PAYLOAD_BYTES)
  /** The latest first. */
  readonly #sent: [SentPayload, SentPayload] = [noPayload(), noPayload()]
  #sequence = Math.floor(Math.random() * 0x8000)

  /**
   * Sends one packet.
   * @param send takes the whole RTP packet, which is valid only during the call; tells whether it went out
   * @throws {RangeError} where the payload does not fit into a packet
   */
  send(
    { payload, rtpTimestamp, capturedAtMs }: EncodedAudioPacket,
    nowMs: number,
    send: (packet: Buffer) => boolean,
  ): void {
    if (payload.length > MOST_PAYLOAD_BYTES) throw new RangeError('the audio packet is too large')
    const { stream } = this
    const packet = this.#packet
    const timestamp = (rtpTimestamp + stream.timestampOffset) % 2 ** 32
    const headerBytes = this.#writeExtension()
    const payloadAt = this.#writeRedundancy(headerBytes, payload.length, rtpTimestamp)
    packet[1] = payloadAt === headerBytes ? stream.payloadType : this.redundancyPayloadType
    packet.writeUInt16BE(this.#sequence, 2)
    packet.writeUInt32BE(timestamp, 4)
    packet.writeUInt32BE(stream.ssrc, 8)
    payload.copy(packet, payloadAt)
    const length = payloadAt + payload.length
    if (this.redundancyPayloadType > 0) this.#remember(payload, rtpTimestamp)
    if (!send(packet.subarray(0, length))) return
    this.numbering?.sent.onSent(length, nowMs)
    this.#sequence = (this.#sequence + 1) & 0xffff
    stream.packets++
    stream.octets += length - headerBytes
    stream.onSent(timestamp, capturedAtMs)
  }

  /** Writes the first byte, and the extension where there is one. @returns the length of the whole header */
  #writeExtension(): number {
    const packet = this.#packet
    const { numbering } = this
    packet[0] = numbering ? 0x90 : 0x80
    if (!numbering) return RTP_FIXED_HEADER_BYTES
    packet.writeUInt32BE(ONE_WORD_EXTENSION, RTP_FIXED_HEADER_BYTES)
    writeTransportNumber(packet, RTP_FIXED_HEADER_BYTES + 4, numbering.extensionId, numbering.sent.next)
    return NUMBERED_HEADER_BYTES
  }

  /** Writes the blocks before the payload (RFC 2198, section 3), the oldest first. @returns where the payload begins */
  #writeRedundancy(headerBytes: number, payloadBytes: number, rtpTimestamp: number): number {
    if (this.redundancyPayloadType === 0 || this.redundantPackets === 0) return headerBytes
    const [latest, older] = this.#sent
    const hasLatest = fits(latest, rtpTimestamp)
    const hasOlder = hasLatest && this.redundantPackets > 1 && fits(older, rtpTimestamp)
    let bytes = LAST_BLOCK_HEADER_BYTES + payloadBytes
    if (hasLatest) bytes += BLOCK_HEADER_BYTES + latest.length
    if (hasOlder) bytes += BLOCK_HEADER_BYTES + older.length
    if (!hasLatest || bytes > MOST_PAYLOAD_BYTES) return headerBytes
    const packet = this.#packet
    let at = headerBytes
    if (hasOlder) at = this.#writeBlockHeader(at, older, rtpTimestamp)
    at = this.#writeBlockHeader(at, latest, rtpTimestamp)
    packet[at++] = this.stream.payloadType
    if (hasOlder) at += older.bytes.copy(packet, at, 0, older.length)
    return at + latest.bytes.copy(packet, at, 0, latest.length)
  }

  #writeBlockHeader(at: number, block: SentPayload, rtpTimestamp: number): number {
    this.#packet[at] = ANOTHER_BLOCK_FOLLOWS | this.stream.payloadType
    this.#packet.writeUIntBE(((rtpTimestamp - block.rtpTimestamp) << 10) | block.length, at + 1, 3)
    return at + BLOCK_HEADER_BYTES
  }

  #remember(payload: Buffer, rtpTimestamp: number): void {
    const [latest, oldest] = this.#sent
    this.#sent[0] = oldest
    this.#sent[1] = latest
    oldest.length = payload.length <= MOST_BLOCK_BYTES ? payload.copy(oldest.bytes) : 0
    oldest.rtpTimestamp = rtpTimestamp
  }
}

function noPayload(): SentPayload {
  return { bytes: Buffer.alloc(MOST_BLOCK_BYTES), length: 0, rtpTimestamp: 0 }
}

function fits({ length, rtpTimestamp }: SentPayload, now: number): boolean {
  return length > 0 && now > rtpTimestamp && now - rtpTimestamp <= MOST_BLOCK_OFFSET
}
