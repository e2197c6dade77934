import { isIP } from 'node:net'
import { absent, BadValue, literal, type Option, option } from './option.ts'
import { integer } from './texts.ts'

function host(text: string): string {
  const isName = /^(?=.{1,253}$)([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.?)+$/.test(text)
  if (isIP(text) === 0 && !isName) throw new BadValue('an IP address or a host name')
  return text
}

function publicOrigin(text: string): string {
  const complaint = new BadValue('an https:// URL without a path, such as https://meet.example.org')
  if (!URL.canParse(text)) throw complaint
  const url = new URL(text)
  const bare = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  if (url.protocol !== 'https:' || !bare) throw complaint
  return url.origin
}

/**
 * Returns the domain in lower case and without a final dot, for comparisons. The domain leaves room for a label of 63
 * characters before it. It has at least two labels, because no client accepts a wildcard certificate for all names
 * below a single label.
 */
function serviceDomain(text: string): string {
  const domain = text.toLowerCase().replace(/\.$/, '')
  const isName = /^(?=.{1,189}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/
  if (isIP(domain) !== 0 || !isName.test(domain)) throw new BadValue('a domain such as meet.example.org')
  return domain
}

/** Where clients reach the server. */
export const addressOptions = {
  host: option('PARLEY_HOST', 'address', literal('0.0.0.0', '0.0.0.0'), 'Address to listen on.', host),
  port: option(
    'PARLEY_PORT',
    'port',
    literal('8443', 8443),
    'TCP port for HTTPS and secure WebSocket; 0 lets the system pick a free one.',
    integer(0, 65535),
  ),
  httpPort: option<number | null>(
    'PARLEY_HTTP_PORT',
    'port or off',
    absent('(one below PARLEY_PORT; 80 beside 443)'),
    "TCP port for plain HTTP: how to trust the server's own certificate, otherwise redirects to HTTPS; 0 or off for none.",
    (text) => (text === 'off' ? 0 : integer(0, 65535)(text)),
  ),
  publicUrl: option(
    'PARLEY_PUBLIC_URL',
    'URL',
    absent('(the host name of each request)'),
    'Where clients reach this server, as they spell it; goes into tokens and links.',
    publicOrigin,
  ) as Option<string | null>,
  serviceDomain: option(
    'PARLEY_SERVICE_DOMAIN',
    'domain',
    absent('(no spaces)'),
    'Domain below which each space is a host of its own: the space acme of meet.example.org is at acme.meet.example.org.',
    serviceDomain,
  ) as Option<string | null>,
}
