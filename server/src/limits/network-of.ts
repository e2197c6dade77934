import { isIPv4, isIPv6 } from 'node:net'

/** Matches `1.2.3.4:5678` and `[2001:db8::1]:5678`, which some proxies write. */
const WITH_PORT = /^(?:\[(.*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/

/**
 * The key that limits count as one address: an IPv4 address, or the /64 of an IPv6 address, because a provider gives
 * each customer at least a /64 (RFC 6177).
 * @param address address from the socket or a trusted proxy; invalid text is used as it is
 */
export function networkOf(address: string): string {
  const [, inBrackets, beforePort] = WITH_PORT.exec(address) ?? []
  const bare = (inBrackets ?? beforePort ?? address).replace(/%.*$/, '')
  if (isIPv4(bare) || !isIPv6(bare)) return bare
  const groups = groupsOf(bare)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (!isMapped)
    return `${groups
      .slice(0, 4)
      .map((group) => group.toString(16))
      .join(':')}::/64`
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}

/** The eight groups of an IPv6 address (RFC 4291, section 2.2). */
function groupsOf(address: string): number[] {
  const [left = '', right] = address.split('::')
  const before = parts(left)
  if (right === undefined) return before
  const after = parts(right)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function parts(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}
