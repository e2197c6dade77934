import type { LocalSocket } from './ice-types.ts'

/** Unique local addresses (RFC 4193) reach hosts of the same site only. */
const UNIQUE_LOCAL = /^f[cd]/i

/**
 * Sockets in the order of RFC 8421, section 4, the best first: IPv6 and IPv4 in turns, so that no family waits for all
 * addresses of the other, and IPv6 before IPv4. Unique local addresses come last (RFC 6724, section 2.1).
 */
export function inOrder<Socket extends LocalSocket>(sockets: readonly Socket[]): Socket[] {
  const isLocal = ({ addresses }: Socket) => addresses.every((address) => UNIQUE_LOCAL.test(address))
  const ofFamily = (family: 4 | 6) => sockets.filter((socket) => socket.family === family && !isLocal(socket))
  const six = ofFamily(6)
  const four = ofFamily(4)
  const ordered: Socket[] = []
  for (let i = 0; i < Math.max(six.length, four.length); i++)
    ordered.push(...six.slice(i, i + 1), ...four.slice(i, i + 1))
  return [...ordered, ...sockets.filter(isLocal)]
}
