import { BlockList, isIP } from 'node:net'

/**
 * Networks that lead to this machine, its neighbours or its cloud, and not to a host on the internet: IANA's registries
 * of special-purpose addresses (RFC 6890), and the addresses at which clouds serve metadata with secrets. Addresses
 * that are reserved for documentation lead nowhere, so they are harmless and not listed.
 */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  // Carrier-grade NAT. One cloud has its metadata here.
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local. Most clouds have their metadata here.
  '169.254.0.0/16',
  // Metadata and wire server of one cloud, in the middle of public addresses.
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  // Relays of 6to4. They forward to an address that is not checked here.
  '192.88.99.0/24',
  '192.168.0.0/16',
  // Network benchmarks.
  '198.18.0.0/15',
  // Multicast, reserved, broadcast.
  '224.0.0.0/3',
]

/**
 * Private networks inside of `2000::/3`, the range that is assigned. Everything outside of it counts as private anyway.
 */
const PRIVATE_IPV6 = [
  // Protocol assignments. They include Teredo, which holds an IPv4 address that is not checked here.
  '2001::/23',
  // 6to4. It holds an unchecked IPv4 address too.
  '2002::/16',
]

/**
 * Prefixes of IPv4 addresses inside of IPv6: mapped (RFC 4291, section 2.5.5.2) and translated (RFC 6052, section 2.1).
 */
const IPV4_INSIDE = ['::ffff:', '64:ff9b::']
const IPV4_INSIDE_BITS = 96

/** @param list addresses, and networks in CIDR notation */
export function networkList(list: readonly string[]): BlockList {
  const result = new BlockList()
  for (const network of list) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) result.addAddress(address, family)
    else result.addSubnet(address, Number(bits), family)
  }
  return result
}

const privateIpv4 = networkList(PRIVATE_IPV4)
const handedOut = networkList(['2000::/3', ...IPV4_INSIDE.map((prefix) => `${prefix}0:0/96`)])
const privateIpv6 = networkList([...PRIVATE_IPV6, ...IPV4_INSIDE.flatMap(inside)])

/** The private IPv4 networks in IPv6 notation. */
function inside(prefix: string): string[] {
  return PRIVATE_IPV4.map((network) => {
    const [address, bits] = network.split('/')
    return `${prefix}${address}/${IPV4_INSIDE_BITS + Number(bits)}`
  })
}

/**
 * Whether an IP address leads somewhere that customers must not make the server connect to.
 * @param address in the usual notation; anything else counts as private
 */
export function isPrivateAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return privateIpv4.check(address, 'ipv4')
    case 6:
      return !handedOut.check(address, 'ipv6') || privateIpv6.check(address, 'ipv6')
    default:
      return true
  }
}

/**
 * The IPv4 address inside of a translator's IPv6 address (NAT64; RFC 6052, section 2.1).
 * @param address in the shortest notation
 * @returns null for all other addresses
 */
export function translatedIpv4(address: string): string | null {
  const [, high, low] = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(address) ?? []
  if (low === undefined) return null
  const bits = (Number.parseInt(high ?? '0', 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}
