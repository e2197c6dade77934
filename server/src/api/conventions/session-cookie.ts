import type { FastifyReply, FastifyRequest } from 'fastify'

/** Only answers over HTTPS of this very host can set a cookie with this prefix, for all paths. */
const NAME = '__Host-parley'
/** Not readable by scripts, and not sent with requests that pages of other sites make. */
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax'

/** The value of a cookie of a request; undefined if the request has no such cookie. */
export function cookieOf(request: FastifyRequest, name: string = NAME): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name && value) return value
  }
  return undefined
}

/**
 * Gives the browser a cookie that it keeps until it is closed or the time is over.
 * @param value null to delete the cookie
 */
export function setCookie(
  reply: FastifyReply,
  value: string | null,
  { name = NAME, maxAgeSeconds }: { name?: string; maxAgeSeconds?: number } = {},
): void {
  const age = value === null ? '; Max-Age=0' : maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
  reply.header('set-cookie', `${name}=${value ?? ''}; ${ATTRIBUTES}${age}`)
}

/** Tells scripts of the pages that there may be a session. It is worth nothing by itself. */
const HINT = 'parley-session'

/** Gives the browser the secret of a session, or takes it away. */
export function setSessionCookie(reply: FastifyReply, secret: string | null): void {
  setCookie(reply, secret)
  const hint = secret === null ? `${HINT}=; Max-Age=0` : `${HINT}=1`
  reply.header('set-cookie', `${hint}; Path=/; Secure; SameSite=Lax`)
}

/**
 * Whether a page of another site or origin made the browser send a request. Browsers say so in `Sec-Fetch-Site`, which
 * pages cannot change.
 */
export function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/**
 * Whether a request certainly came from a page of this server: the browser names that page's origin.
 * @param hosts hosts where clients reach this server, each with its port unless that is 443
 */
export function isFromOwnPage({ headers }: FastifyRequest, hosts: readonly string[]): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (origin !== undefined && !hosts.some((host) => origin === `https://${host}`)) return false
  if (site !== undefined && site !== 'same-origin') return false
  return origin !== undefined || site !== undefined
}

/** Whether a script of a page of this server sent a request, without credentials of its own. */
export const isFromScriptOfPage = ({ headers }: FastifyRequest): boolean =>
  headers.authorization === undefined &&
  headers['sec-fetch-site'] === 'same-origin' &&
  headers['sec-fetch-mode'] !== 'navigate'
