import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

const EXPORTER_BYTES = 32
/** Channel binding of TLS 1.3 (RFC 9266, section 2). */
const EXPORTER_LABEL = 'EXPORTER-Channel-Binding'

/** Header of a request for a pipe: what its caller says, see `said` of {@link linkProof}. */
export const SAID_HEADER = 'parley-peer'
/** Header of either end that proves that it knows the key. */
export const PROOF_HEADER = 'parley-proof'

/** Which end of a pipe proves that it knows the key. */
type End = 'caller' | 'owner'

/**
 * Proves that one end of a TLS connection knows the key of a node. The proof is bound to this connection, so somebody in
 * between, with a TLS connection to each end, can neither use nor forward it. Certificates need not be known.
 * @param key in base64url
 * @param said what this end says besides; it is proved with it
 * @returns null for a connection that is not TLS
 */
export function linkProof(socket: Duplex, key: string, end: End, said: string): string | null {
  if (!(socket instanceof TLSSocket)) return null
  const channel = socket.exportKeyingMaterial(EXPORTER_BYTES, EXPORTER_LABEL, Buffer.alloc(0))
  return createHmac('sha256', Buffer.from(key, 'base64url'))
    .update(`${end}\n`)
    .update(channel)
    .update(said)
    .digest('base64url')
}

/** Whether a proof is the right one, in constant time. */
export function isGoodProof(presented: unknown, right: string | null): boolean {
  if (typeof presented !== 'string' || right === null) return false
  const [one, other] = [Buffer.from(presented), Buffer.from(right)]
  return one.length === other.length && timingSafeEqual(one, other)
}
