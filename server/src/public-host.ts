import type { Spaces } from './projects/spaces.ts'

/** What a `Host` header may look like; anything else does not go into links. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** A request as far as it tells where its sender reached this server. */
export interface Reached {
  /** As its `Host` header says, or what a trusted proxy passed on in its place. */
  host: string
  /** TCP port that it came to. */
  localPort: number | undefined
}

/**
 * Host, and port unless it is 443, where the sender of a request reaches this server: as configured, or else as the
 * sender spelt it. A space's credentials work at the space's own host only, so that host is kept.
 * @param publicUrl as configured
 */
export function publicHost(
  publicUrl: string | null,
  spaces: Pick<Spaces, 'isSpace'>,
  { host, localPort }: Reached,
): string {
  if (publicUrl !== null && !spaces.isSpace(host)) return new URL(publicUrl).host
  if (HOST.test(host)) return host
  return localPort ? `localhost:${localPort}` : 'localhost'
}
