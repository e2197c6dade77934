/**
 * Content security policy of the pages. Radix adds a style element to prevent scrolling behind a dialog. WebSockets may
 * connect only to the hosts of this server: a room token in a link names its host itself, and anybody can make such a
 * link.
 * @param framedBy origins of other sites whose pages may frame the answer; none by default
 * @param hosts hosts where clients reach this server, each with its port unless it is 443
 */
export function contentSecurityPolicy(
  hosts: readonly string[],
  framedBy: readonly string[] | null = null,
): string {
  // Not every browser applies 'self' to a secure WebSocket.
  const sockets = hosts.map((host) => `wss://${host}`)
  return [
    "default-src 'self'",
    // The blur of the background and the strong noise suppression are WebAssembly.
    "script-src 'self' 'wasm-unsafe-eval'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    ['connect-src', "'self'", ...sockets].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    framedBy === null ? "frame-ancestors 'none'" : ['frame-ancestors', "'self'", ...framedBy].join(' '),
  ].join('; ')
}
