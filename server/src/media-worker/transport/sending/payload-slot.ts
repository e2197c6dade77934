/** Where a packetiser writes one RTP payload. */
export interface PayloadSlot {
  bytes: Buffer
  /** Where the payload begins in `bytes`. */
  start: number
  /** Bytes of payload written, set by the packetiser. */
  length: number
}
