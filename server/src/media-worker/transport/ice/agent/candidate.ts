import type { LocalSocket } from './ice-types.ts'
import { type TransportAddress, usualForm } from './transport-address.ts'

/** RFC 8445, section 5.1.2.2. */
const HOST_PREFERENCE = 126
const PEER_REFLEXIVE_PREFERENCE = 110
/** RTP and RTCP share the only component (RFC 8445, section 13, and RFC 5761). */
const COMPONENT = 1
const MOST_CHARACTERS = 256

/** An address of the other side that may be checked. */
export interface RemoteCandidate extends TransportAddress {
  readonly family: 4 | 6
  /** 1 to 2^31 - 1 */
  readonly priority: number
}

/**
 * Reads the value of a `candidate` line (RFC 8839, section 5.1).
 * @returns null where it cannot be used: not UDP, another component, a name. Names are never resolved: `.local` ones mean
 * nothing here, and others would make this server ask for names of a stranger's choice. Such a peer is found by its own checks.
 */
export function readCandidate(line: string): RemoteCandidate | null {
  if (line.length > MOST_CHARACTERS) return null
  const [, component, transport, priorityText, addressText = '', portText, typ] = line.split(' ')
  if (component !== String(COMPONENT) || transport?.toLowerCase() !== 'udp' || typ !== 'typ') return null
  const priority = wholeNumber(priorityText, 2 ** 31 - 1)
  const port = wholeNumber(portText, 65_535)
  const address = usualForm(addressText)
  if (!priority || !port || address === null) return null
  return { address, port, priority, family: address.includes(':') ? 6 : 4 }
}

/** @returns 0 where it is none, or out of bounds */
function wholeNumber(text: string | undefined, most: number): number {
  const value = text && /^\d{1,10}$/.test(text) ? Number(text) : 0
  return value <= most ? value : 0
}

/** Our candidates, as SDP tells them (RFC 8839, section 5.1). Those of the first sockets come first. */
export function writeCandidates(sockets: readonly LocalSocket[]): string[] {
  return sockets
    .flatMap(({ port, addresses }) => addresses.map((address) => ({ address, port })))
    .map(({ address, port }, index) => {
      const priority = priorityOf(HOST_PREFERENCE, index)
      return `${index + 1} ${COMPONENT} UDP ${priority} ${address} ${port} typ host`
    })
}

/** What a pair with this socket counts as on our side: the priority of its best candidate. */
export function socketPriority(sockets: readonly LocalSocket[], socket: LocalSocket): number {
  return priorityOf(HOST_PREFERENCE, rankOf(sockets, socket))
}

/** What the other side is to count us as where it does not know this address of ours (RFC 8445, section 7.1.1). */
export function peerReflexivePriority(sockets: readonly LocalSocket[], socket: LocalSocket): number {
  return priorityOf(PEER_REFLEXIVE_PREFERENCE, rankOf(sockets, socket))
}

/** How many candidates come before those of this socket. */
function rankOf(sockets: readonly LocalSocket[], socket: LocalSocket): number {
  let rank = 0
  for (const other of sockets) {
    if (other === socket) break
    rank += other.addresses.length
  }
  return rank
}

/** RFC 8445, section 5.1.2.1. @param rank 0 for the best of our addresses */
function priorityOf(typePreference: number, rank: number): number {
  return typePreference * 2 ** 24 + (65_535 - rank) * 2 ** 8 + (256 - COMPONENT)
}
