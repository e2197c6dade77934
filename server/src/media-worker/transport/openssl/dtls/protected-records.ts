/** Header of a record (RFC 6347, section 4.3.1): type, version, epoch at byte 3, sequence number, length at byte 11. */
const HEADER_BYTES = 13
/** What AES-GCM adds to a record (RFC 5288, section 3): 8 bytes of its nonce, and a tag of 16. */
const AES_GCM_BYTES = 24

/**
 * Whether a datagram has a record that says that it is protected and is too short for it. OpenSSL ends the whole association at
 * such a record, though anybody can have sent it, in place of discarding it (RFC 6347, section 4.1.2.7).
 */
export function hasTruncatedRecord(datagram: Buffer): boolean {
  let at = 0
  while (at + HEADER_BYTES <= datagram.length) {
    const length = datagram.readUInt16BE(at + 11)
    const isProtected = datagram.readUInt16BE(at + 3) > 0
    if (isProtected && length < AES_GCM_BYTES) return true
    at += HEADER_BYTES + length
  }
  return false
}
