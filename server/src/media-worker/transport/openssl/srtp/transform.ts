import type { Memory } from '../memory.ts'

/** E flag of SRTCP: the packet is encrypted. What follows in the same word is its index (RFC 3711, section 3.4). */
export const ENCRYPTED_FLAG = 0x80000000
export const MOST_RTCP_INDEX = 0x7fffffff
/** RTCP packets begin with a header and the sender's SSRC, which are not encrypted. */
export const RTCP_CLEAR_BYTES = 8
/** E flag and index. */
export const RTCP_INDEX_BYTES = 4

/**
 * Encrypts and authenticates packets of one direction in place, or undoes it. `at` is where the packet begins in the memory
 * and `length` its bytes, both checked by every address that is taken of the memory.
 */
export interface Transform {
  /** Bytes that an RTP packet grows by. */
  readonly rtpOverhead: number
  /** Bytes that an RTCP packet grows by. */
  readonly rtcpOverhead: number
  /** @param headerBytes of RTP header and header extension, which stay readable */
  sealRtp(memory: Memory, at: number, headerBytes: number, length: number, rollover: number): void
  /** @param length of the sealed packet @returns false where it is not authentic; its bytes are spoilt then */
  openRtp(memory: Memory, at: number, headerBytes: number, length: number, rollover: number): boolean
  sealRtcp(memory: Memory, at: number, length: number, index: number): void
  /** @param length of the sealed packet @returns false where it is not authentic; its bytes are spoilt then */
  openRtcp(memory: Memory, at: number, length: number): boolean
  /** Index word of a sealed RTCP packet, which is authentic only once {@link openRtcp} says so. */
  rtcpIndexWord(memory: Memory, at: number, length: number): number
  /** Idempotent. */
  close(): void
}
