/** The server that the browser client would connect to with a room token. */
export type TokenHost =
  /** The token names none. The client then uses the host that the page gives. */
  | { is: 'unnamed' }
  /** The host, with the port unless it is 443. */
  | { is: 'named'; host: string }
  | { is: 'unreadable' }

/**
 * Reads the host from a token's header (`ch`) as the browser client does. Anybody can write a token that names any
 * host, so the page checks this before it sends camera and microphone there.
 */
export function tokenHost(token: string): TokenHost {
  const header = decodedHeader(token)
  // An opaque token, such as a conference token, has no header. A token with dots claims to have one.
  if (header === null) return token.includes('.') ? { is: 'unreadable' } : { is: 'unnamed' }
  const { ch } = header
  if (ch === undefined || ch === null || ch === '') return { is: 'unnamed' }
  if (typeof ch !== 'string') return { is: 'unreadable' }
  const address = /^(ws|wss):\/\//.test(ch) ? ch : `wss://${ch}`
  if (!URL.canParse(address)) return { is: 'unreadable' }
  const { protocol, host } = new URL(address)
  return protocol === 'wss:' && host !== '' ? { is: 'named', host } : { is: 'unreadable' }
}

/** Whether a token leads to one of these hosts, or names none. */
export function leadsTo(token: string, hosts: readonly string[]): boolean {
  const named = tokenHost(token)
  return named.is === 'unnamed' || (named.is === 'named' && hosts.includes(named.host))
}

function decodedHeader(token: string): { ch?: unknown } | null {
  try {
    const first = (token.split('.')[0] ?? '').replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(first), (character) => character.charCodeAt(0))
    const header: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof header === 'object' ? (header ?? {}) : {}
  } catch {
    return null
  }
}
