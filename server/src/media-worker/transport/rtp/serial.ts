/** Signed distance from sequence number `from` to `to`, modulo 2^16 (RFC 1982): -32768 to 32767. */
export function sequenceDistance(from: number, to: number): number {
  return ((to - from) << 16) >> 16
}

/** Signed distance from RTP timestamp `from` to `to`, modulo 2^32. */
export function timestampDistance(from: number, to: number): number {
  return (to - from) | 0
}
