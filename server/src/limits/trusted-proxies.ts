import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** The trusted proxies, and their information about a request. Fastify reads the same headers in the same way. */
export interface TrustedProxies {
  /** Whether this is the address of a proxy whose `X-Forwarded-*` headers are trusted. */
  isTrusted(address: string | undefined): boolean
  /** Address of the client: the last one in the chain that is not a trusted proxy. */
  clientOf(request: IncomingMessage): string
  /** The host that the client asked for; empty when it sent none. */
  hostOf(request: IncomingMessage): string
}

/** @param list IP addresses and networks in CIDR notation */
export function createTrustedProxies(list: readonly string[]): TrustedProxies {
  const trusted = new BlockList()
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const isTrusted = (address = '') => {
    const version = list.length === 0 ? 0 : isIP(address)
    return version !== 0 && trusted.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
  return {
    isTrusted,
    clientOf({ socket, headers }) {
      const forwarded = entriesOf(headers['x-forwarded-for'])
      let client = socket.remoteAddress ?? ''
      while (isTrusted(client)) {
        const before = forwarded.pop()
        if (before === undefined) break
        client = before
      }
      return client
    },
    hostOf({ socket, headers }) {
      const forwarded = isTrusted(socket.remoteAddress)
        ? entriesOf(headers['x-forwarded-host']).at(-1)
        : undefined
      return forwarded ?? headers.host ?? ''
    },
  }
}

/** Splits a header. The proxy nearest to this server wrote the last entry. */
const entriesOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
