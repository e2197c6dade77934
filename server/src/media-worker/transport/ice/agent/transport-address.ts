import { isIP } from 'node:net'
import { ipBytes, ipText } from '../ip-bytes.ts'

/**
 * Source or destination of a UDP datagram. The address is numeric and written in the usual form (RFC 5952), as sockets give
 * it, so that equal addresses are equal texts. An IPv4 address never stands inside an IPv6 one.
 */
export interface TransportAddress {
  readonly address: string
  readonly port: number
}

/** Whether both name the same place. */
export function sameAddress(a: TransportAddress, b: TransportAddress): boolean {
  return a.port === b.port && a.address === b.address
}

/**
 * The usual form of an address as anybody may have written it.
 * @returns null where it is no IPv4 or IPv6 address that one peer can have: a name, an address of many, or of none
 */
export function usualForm(address: string): string | null {
  // A zone names an interface of the machine that wrote it.
  if (isIP(address) === 0 || address.includes('%')) return null
  const bytes = ipBytes(address)
  const text = ipText(bytes)
  return isOfOnePeer(ipBytes(text)) ? text : null
}

function isOfOnePeer(bytes: Buffer): boolean {
  const first = bytes[0]!
  // "This network", multicast and reserved addresses (RFC 6890).
  if (bytes.length === 4) return first !== 0 && first < 224
  const isUnspecified = bytes.every((byte) => byte === 0)
  const isLinkLocal = first === 0xfe && (bytes[1]! & 0xc0) === 0x80
  return !isUnspecified && first !== 0xff && !isLinkLocal
}
