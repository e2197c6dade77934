import { BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'

/**
 * Whether an address belongs to this server: the address of a network interface, or one that browsers are told.
 * Interfaces can change, so they are queried each time.
 * @param announced addresses that lead here through NAT or a proxy
 */
export function isOwnAddress(address: string, announced: readonly string[]): boolean {
  const own = new BlockList()
  const add = (one: string) => own.addAddress(one, isIP(one) === 6 ? 'ipv6' : 'ipv4')
  for (const entries of Object.values(networkInterfaces())) {
    for (const entry of entries ?? []) add(entry.address.split('%', 1)[0] ?? '')
  }
  for (const one of announced) add(one)
  return own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
