import type { Socket } from 'node:net'

/** First byte of a TLS record that carries a handshake (RFC 8446, section 5.1). */
export const TLS_HANDSHAKE = 0x16
/** Bytes before the content of a TLS record: type, version, length (RFC 8446, section 5.1). */
const RECORD_HEADER = 5

/** Takes over some TLS connections of a port, by the client's first message. */
export interface Diversion {
  /** Whether there are connections to take over now. Otherwise the first message is not looked at. */
  readonly isOpen: boolean
  /** @param hello the record with the client's first message */
  takes(hello: Buffer): boolean
  /** Handles the connection from now on. What was read of it has been put back. */
  take(socket: Socket): void
}

/** Whether these bytes are the beginning of a TLS record, and more of it has to come. */
export function isPartOfRecord(bytes: Buffer): boolean {
  if (bytes[0] !== TLS_HANDSHAKE) return false
  return bytes.length < RECORD_HEADER || bytes.length < RECORD_HEADER + bytes.readUInt16BE(RECORD_HEADER - 2)
}
