import type { IncomingMessage } from 'node:http'

/** A target with a scheme and an authority in front of the path (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/is

/**
 * The path and query that a request asks for, however it writes its target. A host in the target takes the place of
 * the `Host` header, as RFC 9112 (section 3.2.2) wants it.
 */
export function originForm({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  if (url.startsWith('/')) return url
  const [, host, path = ''] = ABSOLUTE_FORM.exec(url) ?? []
  if (!host) return url
  headers.host = host
  return path.startsWith('/') ? path : `/${path}`
}
