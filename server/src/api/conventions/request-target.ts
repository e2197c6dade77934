import type { IncomingMessage } from 'node:http'

/** A request target with a scheme and an authority before the path (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * Path and query of a request, in whichever form it writes its target. A host in the target replaces the `Host` header,
 * as RFC 9112 (section 3.2.2) requires.
 */
export function originForm({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  if (url.startsWith('/')) return url
  const [, host, path = ''] = ABSOLUTE_FORM.exec(url) ?? []
  if (!host) return url
  headers.host = host
  return path.startsWith('/') ? path : `/${path}`
}
