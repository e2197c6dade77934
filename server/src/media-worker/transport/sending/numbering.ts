import type { SentPackets } from './congestion/sent-packets.ts'

/** How the packets of one transport are numbered, those of sound and picture together. */
export interface Numbering {
  /** Negotiated id of the header extension. */
  extensionId: number
  sent: SentPackets
}

/** Length of the element that {@link writeTransportNumber} writes, with its padding. */
export const TRANSPORT_NUMBER_BYTES = 4

/**
 * Writes a transport-wide number as an element of a one-byte header extension
 * (draft-holmer-rmcat-transport-wide-cc-extensions-01, section 2).
 * @param number taken modulo 2^16
 */
export function writeTransportNumber(bytes: Buffer, at: number, id: number, number: number): void {
  bytes[at] = (id << 4) | 1
  bytes[at + 1] = number >> 8
  bytes[at + 2] = number
  bytes[at + 3] = 0
}
