const ANOTHER_BLOCK_FOLLOWS = 0x80
const BLOCK_HEADER_BYTES = 4

/**
 * Where the newest block of redundant audio data begins, behind the headers and the blocks that repeat earlier packets
 * (RFC 2198, section 3).
 * @returns -1 where the payload is cut short
 */
export function newestBlockStart(packet: Buffer, start: number, end: number): number {
  let at = start
  let redundantBytes = 0
  while (at + BLOCK_HEADER_BYTES <= end && packet[at]! & ANOTHER_BLOCK_FOLLOWS) {
    redundantBytes += ((packet[at + 2]! & 3) << 8) | packet[at + 3]!
    at += BLOCK_HEADER_BYTES
  }
  if (at >= end || packet[at]! & ANOTHER_BLOCK_FOLLOWS) return -1
  const newest = at + 1 + redundantBytes
  return newest <= end ? newest : -1
}
