import { BlockList, isIP } from 'node:net'

/**
 * Networks that lead to this machine, its neighbours or its cloud, and not to somebody on the internet (IANA's registries of
 * special-purpose addresses, RFC 6890, and the addresses at which clouds tell a machine its own secrets). Addresses that
 * are reserved for documentation lead nowhere, and so are no danger.
 */
const PRIVATE_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  // Carrier-grade NAT; one cloud has its metadata here.
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local, with the metadata of most clouds.
  '169.254.0.0/16',
  // Metadata and wire server of one cloud, in the midst of public addresses.
  '168.63.129.16/32',
  '172.16.0.0/12',
  '192.0.0.0/24',
  // Relays of 6to4, which lead on to an address that is not looked at.
  '192.88.99.0/24',
  '192.168.0.0/16',
  // Benchmarks of networks.
  '198.18.0.0/15',
  // Multicast, reserved, broadcast.
  '224.0.0.0/3',
]

/** Within the addresses that are handed out, `2000::/3`; whatever lies outside of them is not public anyhow. */
const PRIVATE_IPV6 = [
  // Protocol assignments, among them Teredo, which holds an IPv4 address that is not looked at.
  '2001::/23',
  // 6to4, which does so too.
  '2002::/16',
]

/** IPv4 addresses within IPv6: mapped (RFC 4291, section 2.5.5.2) and translated (RFC 6052, section 2.1). */
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

/** The private networks of IPv4 as they look within IPv6. */
function inside(prefix: string): string[] {
  return PRIVATE_IPV4.map((network) => {
    const [address, bits] = network.split('/')
    return `${prefix}${address}/${IPV4_INSIDE_BITS + Number(bits)}`
  })
}

/**
 * Whether an IP address leads somewhere that the server must not be sent by its customers.
 * @param address in the usual notation; what is none counts as private
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
 * The IPv4 address that an IPv6 address of a translator (NAT64; RFC 6052, section 2.1) leads to.
 * @param address in the shortest notation
 * @returns null for all others
 */
export function translatedIpv4(address: string): string | null {
  const [, high, low] = /^64:ff9b::(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/.exec(address) ?? []
  if (low === undefined) return null
  const bits = (Number.parseInt(high ?? '0', 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}
