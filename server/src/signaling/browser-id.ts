import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/**
 * A cookie that identifies a browser on the server's own page: an opaque random text that ends with the browser. It
 * proves nothing, because anybody can delete it. It keeps a removed member from coming back by a reload.
 */
const COOKIE = '__Host-parley-browser'
const VALUE = /(?:^|;\s*)__Host-parley-browser=([A-Za-z0-9_-]{22})(?:;|$)/

/** The browser of a WebSocket handshake. */
export interface KnownBrowser {
  id: string
  /** `Set-Cookie` header of the answer; null when the browser has the cookie already. */
  setCookie: string | null
}

/**
 * @param ownHosts host and port of the server's own page, in each of its spellings
 * @returns null for clients that do not run on the server's own page: pages of other origins, and programs
 */
export function browserOf(
  { headers: { origin, cookie = '' } }: IncomingMessage,
  ownHosts: readonly string[],
): KnownBrowser | null {
  if (!ownHosts.some((host) => origin === `https://${host}`)) return null
  const known = VALUE.exec(cookie)?.[1]
  if (known !== undefined) return { id: known, setCookie: null }
  const id = randomBytes(16).toString('base64url')
  return { id, setCookie: `${COOKIE}=${id}; Path=/; Secure; HttpOnly; SameSite=Strict` }
}
