import { lookup as systemLookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Refusal } from '../errors/refusal.ts'
import { isOwnAddress } from './own-addresses.ts'
import { isPrivateAddress, networkList, translatedIpv4 } from './private-addresses.ts'

/** Destination of a URL that a customer asked the server to open. */
export interface Target {
  /** Such as `rtmp`. */
  protocol: string
  /** In lower-case ASCII. IPv4 is four decimal numbers, IPv6 has no brackets. */
  host: string
  /** null means the default port of the protocol. */
  port: number | null
}

/** Decides whether the server may open a URL. */
export interface Targets {
  /**
   * Refuses a URL that cannot be opened, or that leads into a private network. A name that cannot be resolved now
   * passes: it is resolved again before every connection.
   * @param protocols without colon
   * @param attribute the parameter that the URL came in
   * @throws Refusal `url_failed_to_parse`, `url_is_unsafe`
   */
  check(url: string, protocols: readonly string[], attribute: string): Promise<void>
  /**
   * Resolves the URL again, for a connection.
   * @throws Refusal as {@link check}, and `url_failed_to_parse` when the name leads nowhere
   */
  resolve(url: string, protocols: readonly string[], attribute: string): Promise<Target & { address: string }>
}

export interface TargetsOptions {
  /** Allows private addresses and the server's own addresses. */
  allowPrivateTargets: boolean
  /** Networks in CIDR notation that no URL may lead to, even if `allowPrivateTargets` is set. */
  deniedTargets?: readonly string[]
  /** Address that browsers send media to when the server is behind NAT. */
  announcedIp?: string | null
  /** URL where clients reach this server. */
  publicUrl?: string | null
  /** All addresses of a name. @throws Error when it has none */
  lookup?: (name: string) => Promise<string[]>
}

/** How long a name may take to be resolved, in milliseconds. */
const LOOKUP_TIMEOUT_MS = 3000

/** Names that are never public (RFC 6761, RFC 6762, RFC 8375, and the reserved `internal`). */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa)$/

const unparsable = (attribute: string, message?: string) =>
  new Refusal('url_failed_to_parse', {
    attribute,
    message,
  })
const unsafe = (attribute: string) => new Refusal('url_is_unsafe', { attribute })

export function createTargets(options: TargetsOptions): Targets {
  const { allowPrivateTargets, deniedTargets = [], announcedIp, publicUrl, lookup = lookupAll } = options
  const denied = networkList(deniedTargets)
  const publicHost = publicUrl ? readTarget(publicUrl)?.host : undefined

  function read(url: string, protocols: readonly string[], attribute: string): Target {
    const target = readTarget(url)
    if (!target || !protocols.includes(target.protocol)) throw unparsable(attribute)
    if (!allowPrivateTargets && PRIVATE_NAMES.test(target.host)) throw unsafe(attribute)
    return target
  }

  async function addressesOf({ host }: Target, attribute: string): Promise<string[]> {
    const addresses = await addressesOfHost(host, lookup)
    const reached = addresses.flatMap((address) => [address, translatedIpv4(address) ?? address])
    // One bad address is enough to refuse: the connection may use any of them.
    if (reached.some(isDenied)) throw unsafe(attribute)
    if (allowPrivateTargets) return addresses
    const announced = await announcedAddresses()
    const isUnsafe = (address: string) => isPrivateAddress(address) || isOwnAddress(address, announced)
    if (reached.some(isUnsafe)) throw unsafe(attribute)
    return addresses
  }

  const isDenied = (address: string) => denied.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

  /** Addresses at which the server is reached from outside. An interface of this machine need not have them. */
  async function announcedAddresses(): Promise<string[]> {
    const ofPublicHost = publicHost === undefined ? [] : await addressesOfHost(publicHost, lookup)
    return announcedIp ? [announcedIp, ...ofPublicHost] : ofPublicHost
  }

  return {
    async check(url, protocols, attribute) {
      const target = read(url, protocols, attribute)
      if (!allowPrivateTargets || deniedTargets.length > 0) await addressesOf(target, attribute)
    },
    async resolve(url, protocols, attribute) {
      const target = read(url, protocols, attribute)
      const [address] = await addressesOf(target, attribute)
      if (address === undefined) throw unparsable(attribute, 'The host of the URL cannot be found.')
      return { ...target, address }
    },
  }
}

/**
 * Reads a URL of any protocol as strictly as browsers read the URL of a web page, so that it has only one meaning.
 * @returns null when it cannot be understood, or has no host
 */
export function readTarget(url: string): Target | null {
  // URL parsers disagree on spaces, line breaks and backslashes: some drop or convert them, others do not.
  const hasDoubtful = /[\s\\\p{Cc}\p{Cs}]/u.test(url)
  const [, protocol, authority] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]+)/i.exec(url) ?? []
  if (hasDoubtful || protocol === undefined || authority === undefined) return null
  // `URL` normalises numbers in other bases, percent signs and Unicode only in the host of a web URL.
  const asWeb = `https://${authority}`
  if (!URL.canParse(asWeb)) return null
  const { hostname } = new URL(asWeb)
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  if (host === '') return null
  const port = /:(\d+)$/.exec(authority)?.[1]
  if (port !== undefined && Number(port) === 0) return null
  return { protocol: protocol.toLowerCase(), host, port: port === undefined ? null : Number(port) }
}

/**
 * Resolves the name in the same way as the connection will, which includes files of this machine such as /etc/hosts.
 */
async function lookupAll(name: string): Promise<string[]> {
  return (await systemLookup(name, { all: true, verbatim: true })).map(({ address }) => address)
}

/** @param host a name, or an address, which is returned as it is */
async function addressesOfHost(host: string, lookup: (name: string) => Promise<string[]>): Promise<string[]> {
  return isIP(host) === 0 ? resolveName(host, lookup) : [host]
}

/** @returns nothing when the name has no addresses, or they take too long to find */
async function resolveName(name: string, lookup: (name: string) => Promise<string[]>): Promise<string[]> {
  const { promise: late, resolve } = Promise.withResolvers<string[]>()
  const timeout = setTimeout(() => resolve([]), LOOKUP_TIMEOUT_MS)
  try {
    return await Promise.race([lookup(name).catch(() => []), late])
  } finally {
    clearTimeout(timeout)
  }
}
