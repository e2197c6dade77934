import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import type { Config } from '../config.ts'
import { HOST } from '../public-host.ts'

/** Where a visitor reached the port for plain HTTP. */
export interface ReachedAt {
  /** Host name or address, as a URL has it; `localhost` when the visitor named none that is valid. */
  hostInUrl: string
  /** TCP port that the visitor named. */
  port: number
  /** TCP port of this server. */
  localPort: number
  /** The visitor named another port than that of this server: something in between forwards it. */
  isForwarded: boolean
}

/** Reads where the sender of a request reached this server. What is not a valid host is not used. */
export function reachedAt({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): ReachedAt {
  const localPort = socket.localPort ?? 0
  const { host = '' } = headers
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) {
    return { hostInUrl: 'localhost', port: localPort, localPort, isForwarded: false }
  }
  const { hostname, port } = new URL(`http://${host}`)
  const named = port === '' ? 80 : Number(port)
  return { hostInUrl: hostname, port: named, localPort, isForwarded: named !== localPort }
}

/** A host of a URL without the brackets of IPv6. */
export const bareHost = (hostInUrl: string): string => hostInUrl.replace(/^\[|\]$/g, '')

/**
 * The URL at which phones reach this port: under the public name, else as this visitor did, else at an address of the
 * machine. Null when it can be reached from this machine only.
 */
export function phoneAddress(
  { host, publicUrl, announcedIp }: Pick<Config, 'host' | 'publicUrl' | 'announcedIp'>,
  reached: ReachedAt,
  addresses: readonly NetworkInterfaceInfo[] = Object.values(networkInterfaces()).flatMap((one) => one ?? []),
): string | null {
  const url = (name: string, port: number) => `http://${name}${port === 80 ? '' : `:${port}`}/`
  if (isLoopback(host)) return null
  const publicName = publicUrl === null ? null : new URL(publicUrl).hostname
  if (publicName !== null && !isLoopback(publicName)) {
    return url(publicName, publicName === reached.hostInUrl ? reached.port : reached.localPort)
  }
  if (!isLoopback(reached.hostInUrl)) return url(reached.hostInUrl, reached.port)
  const own = host === '0.0.0.0' || host === '::' ? (announcedIp ?? lanAddress(addresses)) : host
  return own === null ? null : url(isIPv6(own) ? `[${own}]` : own, reached.localPort)
}

/** An address by which others in the same network reach this machine; IPv4 where there is one. */
function lanAddress(addresses: readonly NetworkInterfaceInfo[]): string | null {
  const outer = addresses.filter(({ internal, address }) => !internal && !/^(fe80|169\.254\.)/i.test(address))
  const found = outer.find(({ address }) => isIP(address) === 4) ?? outer[0]
  return found?.address ?? null
}

function isLoopback(host: string): boolean {
  const bare = bareHost(host)
  return (
    bare === '::1' ||
    /^(localhost|.*\.localhost)$/i.test(bare) ||
    (isIP(bare) === 4 && bare.startsWith('127.'))
  )
}
