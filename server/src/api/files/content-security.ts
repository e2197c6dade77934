/**
 * What the pages may load and talk to. Radix locks the scrolling behind a dialog by a style element of its own. The
 * WebSocket goes to the hosts of this server and to no other: a room token in a link names its host itself, and
 * anybody can make such a link.
 * @param hosts host, and port unless it is 443, where clients reach this server
 */
export function contentSecurityPolicy(hosts: readonly string[]): string {
  // Not every browser takes 'self' for a secure WebSocket as well.
  const sockets = hosts.map((host) => `wss://${host}`)
  return [
    "default-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    ['connect-src', "'self'", ...sockets].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
