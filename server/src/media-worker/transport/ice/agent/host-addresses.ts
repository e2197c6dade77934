import { isIP } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

interface Listening {
  /** The socket is bound to this address only. */
  bindAddress?: string | undefined
  /** Where this machine is reached from behind its NAT. */
  announcedIp?: string | undefined
}

/**
 * Addresses at which a socket of this family is reached, the best first: of all network interfaces, or the one that it is
 * bound to; then the announced one. Loopback addresses are offered where there is nothing else, or the socket is bound to
 * one. Link-local ones never are: they mean nothing without the name of an interface of the other machine (RFC 8445,
 * section 5.1.1.1).
 */
export function hostAddresses(
  family: 4 | 6,
  { bindAddress, announcedIp }: Listening,
  interfaces: NodeJS.Dict<NetworkInterfaceInfo[]> = networkInterfaces(),
): string[] {
  const own = bindAddress && !isWildcard(bindAddress) ? [bindAddress] : ofInterfaces(family, interfaces)
  const announced = announcedIp ? [announcedIp] : []
  return [...new Set([...own, ...announced])].filter((address) => isIP(address) === family)
}

const isWildcard = (address: string) => address === '0.0.0.0' || address === '::'

function ofInterfaces(family: 4 | 6, interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string[] {
  const all = Object.values(interfaces)
    .flatMap((addresses = []) => addresses)
    .filter((info) => info.family === `IPv${family}` && !isLinkLocal(info.address))
  const outside = all.filter(({ internal }) => !internal)
  return (outside.length > 0 ? outside : all).map(({ address }) => address)
}

function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address) || address.startsWith('169.254.')
}
