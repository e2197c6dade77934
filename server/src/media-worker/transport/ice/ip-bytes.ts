import { isIPv4, isIPv6 } from 'node:net'

/** What an IPv4 address begins with where it stands in an IPv6 one (RFC 4291, section 2.5.5.2). */
const MAPPED_IPV4 = Buffer.from('00000000000000000000ffff', 'hex')

/**
 * An address as it stands in packets: 4 or 16 bytes.
 * @param address numeric; a zone (`fe80::1%eth0`) is left out
 * @throws {RangeError} where it is no address
 */
export function ipBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [plain = ''] = address.split('%')
  if (!isIPv6(plain)) throw new RangeError(`not an IP address: ${address}`)
  const [head = '', tail] = plain.split('::')
  const front = groupsOf(head)
  const back = groupsOf(tail ?? '')
  const zeros = new Array<number>(8 - front.length - back.length).fill(0)
  const bytes = Buffer.alloc(16)
  for (const [index, group] of [...front, ...zeros, ...back].entries()) bytes.writeUInt16BE(group, 2 * index)
  return bytes
}

/** The groups of a part of an IPv6 address; an IPv4 address at its end makes two. */
function groupsOf(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return Number.parseInt(group, 16)
    const bytes = Buffer.from(group.split('.').map(Number))
    return [bytes.readUInt16BE(0), bytes.readUInt16BE(2)]
  })
}

/**
 * The usual text of an address (RFC 5952), as sockets give it. An IPv4 address that stands in an IPv6 one
 * (`::ffff:192.0.2.1`) becomes the IPv4 address.
 * @param bytes 4 or 16
 */
export function ipText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.subarray(0, 12).equals(MAPPED_IPV4)) return bytes.subarray(12).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i))
  const zeros = longestZeros(groups)
  if (zeros.length < 2) return hexOf(groups)
  return `${hexOf(groups.slice(0, zeros.start))}::${hexOf(groups.slice(zeros.start + zeros.length))}`
}

const hexOf = (groups: number[]) => groups.map((group) => group.toString(16)).join(':')

/** The longest run of zeros, the first one of equally long ones. */
function longestZeros(groups: number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 }
  let start = 0
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start }
  }
  return longest
}
