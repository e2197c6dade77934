import { RTP_FIXED_HEADER_BYTES } from '../../rtp/rtp-packet.ts'

/**
 * Length of an RTP header with its CSRCs and its extension (RFC 3550, section 5.1), which SRTP does not encrypt.
 * @param length of the packet, 12 or more
 * @returns -1 where the packet is cut short, or no RTP
 */
export function rtpHeaderBytes(bytes: Buffer, at: number, length: number): number {
  const first = bytes[at]!
  if (first >> 6 !== 2) return -1
  let header = RTP_FIXED_HEADER_BYTES + 4 * (first & 0x0f)
  if (first & 0x10) {
    if (length < header + 4) return -1
    header += 4 + 4 * bytes.readUInt16BE(at + header + 2)
  }
  return header <= length ? header : -1
}
