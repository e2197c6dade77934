import { isIPv4, isIPv6 } from 'node:net'

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
