/** What the policy of a page depends on. */
export interface PagePolicy {
  /** Hosts where clients reach this server, each with its port unless it is 443. */
  hosts: readonly string[]
  /** Origin at which browsers read recordings from the store of objects; null if they do not. */
  mediaOrigin: string | null
  /** Origins of other sites whose pages may frame the answer; null for none, not even this one. */
  framedBy: readonly string[] | null
}

/**
 * Content security policy of the pages. Radix adds a style element to prevent scrolling behind a dialog. WebSockets may
 * connect only to the hosts of this server: a room token in a link names its host itself, and anybody can make such a
 * link.
 */
export function contentSecurityPolicy({ hosts, mediaOrigin, framedBy }: PagePolicy): string {
  // Not every browser applies 'self' to a secure WebSocket.
  const sockets = hosts.map((host) => `wss://${host}`)
  return [
    "default-src 'self'",
    // The blur of the background and the strong noise suppression are WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    // A link to a recording is on this server, and may lead on to the store: browsers judge both addresses.
    ["media-src 'self' blob:", mediaOrigin === null ? [] : sourceOf(mediaOrigin)].flat().join(' '),
    ['connect-src', "'self'", ...sockets].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    framedBy === null ? "frame-ancestors 'none'" : ['frame-ancestors', "'self'", ...framedBy].join(' '),
  ].join('; ')
}

/**
 * An origin as a source of a policy. A policy cannot name an IPv6 address (CSP level 3, section 2.3.1, `host-source`): browsers
 * ignore such a source, so the scheme stands for it.
 */
function sourceOf(origin: string): string {
  const { protocol, hostname } = new URL(origin)
  return hostname.startsWith('[') ? protocol : origin
}
