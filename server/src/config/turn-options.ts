import { isIPv6 } from 'node:net'
import { absent, BadValue, literal, type Option, option, secret } from './option.ts'
import { line } from './texts.ts'

/** Where a TURN server is reached, as a `turn` or `turns` URI says it (RFC 7065, section 3.1). */
export interface TurnAddress {
  host: string
  port: number
  /** `tls` is TLS over TCP. */
  transport: 'udp' | 'tcp' | 'tls'
}

const TURN_URI =
  /^(turns?):(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?(?:\?transport=(udp|tcp))?$/i

/**
 * Reads a URI of a TURN server.
 * @returns undefined where it is none that browsers take: they speak TLS to TURN servers over TCP alone
 */
export function readTurnUrl(text: string): TurnAddress | undefined {
  const [, scheme = '', named = '', digits, said] = TURN_URI.exec(text) ?? []
  const isSecure = scheme.toLowerCase() === 'turns'
  const host = named.replace(/^\[|\]$/g, '')
  const port = Number(digits ?? (isSecure ? 5349 : 3478))
  if (scheme === '' || port < 1 || port > 65535) return undefined
  if (named.startsWith('[') && !isIPv6(host)) return undefined
  const carriedBy = said?.toLowerCase() ?? (isSecure ? 'tcp' : 'udp')
  if (isSecure) return carriedBy === 'tcp' ? { host, port, transport: 'tls' } : undefined
  return { host, port, transport: carriedBy === 'tcp' ? 'tcp' : 'udp' }
}

function turnUrls(text: string): readonly string[] {
  const urls = text.split(',').map((url) => url.trim())
  for (const url of urls) {
    if (readTurnUrl(url)) continue
    const examples = 'turn:turn.example.org:3478?transport=udp or turns:turn.example.org:443?transport=tcp'
    throw new BadValue(`addresses such as ${examples}, separated by commas; "${url}" is none`)
  }
  return Object.freeze(urls)
}

/** A TURN server, which carries the media of browsers that cannot send to this server directly. */
export const turnOptions = {
  turnUrls: option<readonly string[]>(
    'PARLEY_TURN_URLS',
    'URLs',
    literal('(none)', Object.freeze([])),
    'Where browsers reach a TURN server: turn:host:3478?transport=udp, turn:host:3478?transport=tcp, turns:host:443?transport=tcp, separated by commas. Needs PARLEY_TURN_SECRET.',
    turnUrls,
  ),
  turnSecret: secret(
    option(
      'PARLEY_TURN_SECRET',
      'secret',
      absent('(none)'),
      'Secret that the TURN server shares (static-auth-secret of coturn). Credentials for browsers are made from it.',
      line,
    ) as Option<string | null>,
  ),
}
