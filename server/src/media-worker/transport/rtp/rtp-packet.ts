/** Profile of one-byte header extensions (RFC 8285, section 4.2). */
const ONE_BYTE_PROFILE = 0xbede
/** Profile of two-byte header extensions, its low four bits masked (RFC 8285, section 4.3). */
const TWO_BYTE_PROFILE = 0x1000

export const RTP_FIXED_HEADER_BYTES = 12

/**
 * Whether a packet of a multiplexed transport is RTCP (RFC 5761, section 4): what would be the payload type is then
 * 64 to 95.
 * @param at where the packet begins
 */
export function isRtcp(packet: Buffer, at = 0): boolean {
  const payloadType = packet[at + 1]! & 0x7f
  return payloadType >= 64 && payloadType <= 95
}

/** A window onto one RTP packet (RFC 3550, section 5.1). One is made per transport and used for all its packets. */
export class RtpPacketView {
  buffer: Buffer = Buffer.alloc(0)
  marker = false
  payloadType = 0
  sequence = 0
  timestamp = 0
  ssrc = 0
  /** Where the payload lies in `buffer`; padding is already taken off. */
  payloadStart = 0
  payloadEnd = 0
  #extensionProfile = 0
  #extensionStart = 0
  #extensionEnd = 0
  #elementLength = 0

  /**
   * Looks at `packet`, which has to stay untouched as long as the view is used.
   * @returns false where it is not an RTP packet; the view must not be used then
   */
  read(packet: Buffer): boolean {
    if (packet.length < RTP_FIXED_HEADER_BYTES) return false
    const first = packet[0]!
    if (first >> 6 !== 2) return false
    let offset = RTP_FIXED_HEADER_BYTES + 4 * (first & 0x0f)
    this.#extensionStart = this.#extensionEnd = 0
    if (first & 0x10) {
      if (packet.length < offset + 4) return false
      this.#extensionProfile = packet.readUInt16BE(offset)
      this.#extensionStart = offset + 4
      offset += 4 + 4 * packet.readUInt16BE(offset + 2)
      this.#extensionEnd = offset
    }
    const padding = first & 0x20 ? packet[packet.length - 1]! : 0
    if (offset + padding > packet.length) return false
    const second = packet[1]!
    this.buffer = packet
    this.marker = second >= 0x80
    this.payloadType = second & 0x7f
    this.sequence = packet.readUInt16BE(2)
    this.timestamp = packet.readUInt32BE(4)
    this.ssrc = packet.readUInt32BE(8)
    this.payloadStart = offset
    this.payloadEnd = packet.length - padding
    return true
  }

  /** How many bytes of payload there are. */
  get payloadLength(): number {
    return this.payloadEnd - this.payloadStart
  }

  /** Length in bytes of the header extension that {@link extension} has just found. */
  get extensionLength(): number {
    return this.#elementLength
  }

  /**
   * Finds a header extension by its negotiated id.
   * @returns the offset of its data in `buffer`, or -1 where the packet has none
   */
  extension(id: number): number {
    if (this.#extensionProfile === ONE_BYTE_PROFILE) return this.#oneByteExtension(id)
    if ((this.#extensionProfile & 0xfff0) === TWO_BYTE_PROFILE) return this.#twoByteExtension(id)
    return -1
  }

  #oneByteExtension(id: number): number {
    const { buffer } = this
    let offset = this.#extensionStart
    while (offset < this.#extensionEnd) {
      const head = buffer[offset]!
      if (head === 0) {
        offset++
        continue
      }
      const length = (head & 0x0f) + 1
      if (head >> 4 === 15 || offset + 1 + length > this.#extensionEnd) return -1
      if (head >> 4 === id) {
        this.#elementLength = length
        return offset + 1
      }
      offset += 1 + length
    }
    return -1
  }

  #twoByteExtension(id: number): number {
    const { buffer } = this
    let offset = this.#extensionStart
    while (offset + 1 < this.#extensionEnd) {
      const found = buffer[offset]!
      if (found === 0) {
        offset++
        continue
      }
      const length = buffer[offset + 1]!
      if (offset + 2 + length > this.#extensionEnd) return -1
      if (found === id) {
        this.#elementLength = length
        return offset + 2
      }
      offset += 2 + length
    }
    return -1
  }
}
