import type { Spaces } from './projects/spaces.ts'

/** Valid `Host` headers. Other values are not used in links. */
export const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** The parts of a request that tell where its sender reached this server. */
export interface Reached {
  /** Host from the `Host` header, or from a trusted proxy. */
  host: string
  /** Local TCP port of the connection. */
  localPort: number | undefined
}

/**
 * Host, and port unless it is 443, where the sender of a request reaches this server: as configured, otherwise as the
 * sender wrote it. The host of a space is always kept, because the credentials of the space work only there.
 * @param publicUrl configured URL of the server; null when there is none
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
