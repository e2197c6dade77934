import { domainToASCII } from 'node:url'
import { Refusal } from '../errors/refusal.ts'

/** Most origins of one project. */
export const MOST_EMBED_ORIGINS = 1000
/** In characters. Names of hosts are not longer than 253. */
export const LONGEST_EMBED_ORIGIN = 300
/** Most labels of a host, for the number of patterns that an origin may match. */
const MOST_LABELS = 130

/**
 * Origins as browsers write them. A URL may have more characters in its host, which would end an entry of a content
 * security policy.
 */
const ORIGIN = /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/
/** Hosts of the same device. Browsers allow pages from there to use cameras without HTTPS. */
const OWN_DEVICE = /^(localhost|127\.0\.0\.1|\[::1\]|.+\.localhost)$/
/** All hosts below a domain of at least two labels. */
const WILDCARD = /^https:\/\/\*\./

/**
 * Brings an entry of the list into the form in which browsers name origins: lower case, IDN as Punycode, no default port.
 * @param text `https://shop.example`, with a port or not; `https://*.shop.example` for all hosts below
 * @throws Refusal `list_contains_invalid_entries`, which says what to write instead
 */
export function readEmbedOrigin(text: string): string {
  const given = text.trim()
  const shown = given.slice(0, 100)
  if (given === '*') throw refused('* would let every page of the internet embed: list each origin')
  const isWildcard = WILDCARD.test(given.toLowerCase())
  const plain = isWildcard ? given.replace('*.', '') : given
  if (
    given.length > LONGEST_EMBED_ORIGIN ||
    !/^https?:\/\/[^\s*;,'"\\]+$/i.test(plain) ||
    !URL.canParse(plain)
  ) {
    throw refused(`${shown} is not an origin: write scheme and host, such as https://shop.example`)
  }
  const url = new URL(plain)
  if (url.username !== '' || url.password !== '' || plain.includes('@')) {
    throw refused(`leave out the user name and the password of ${url.origin}`)
  }
  if (url.pathname !== '/' || plain.includes('?') || plain.includes('#')) {
    throw refused(`an origin has no path: write ${url.origin}`)
  }
  if (!ORIGIN.test(url.origin)) throw refused(`${shown} has characters that no host has`)
  if (url.protocol !== 'https:' && !OWN_DEVICE.test(url.hostname)) {
    throw refused(`${shown} must begin with https://, because browsers give pages without it no camera`)
  }
  return isWildcard ? wildcardOf(url, shown) : url.origin
}

function wildcardOf({ origin, hostname }: URL, shown: string): string {
  const isDomain = domainToASCII(hostname) === hostname && /\.[a-z][a-z0-9-]*$/.test(hostname)
  if (!isDomain) throw refused(`${shown} must have a domain of two parts or more after *.`)
  return origin.replace('://', '://*.')
}

const refused = (message: string) =>
  new Refusal('list_contains_invalid_entries', { attribute: 'origins', message })

/**
 * The entries of a list that admit an origin: itself, and every pattern of hosts above it.
 * @param origin as a browser names it
 * @returns empty for what is no origin, such as the `null` of a sandboxed page
 */
export function entriesFor(origin: string): string[] {
  if (origin.length > LONGEST_EMBED_ORIGIN || !ORIGIN.test(origin) || !URL.canParse(origin)) return []
  const url = new URL(origin)
  // Only the very text that a browser would send counts.
  if (url.origin !== origin) return []
  const port = url.port === '' ? '' : `:${url.port}`
  const labels = url.hostname.split('.')
  if (url.protocol !== 'https:' || labels.length > MOST_LABELS) return [origin]
  const above = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'))
  return [origin, ...above.map((domain) => `https://*.${domain}${port}`)]
}
