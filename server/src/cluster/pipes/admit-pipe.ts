import type { IncomingMessage } from 'node:http'
import { isGoodProof, linkProof, PROOF_HEADER, SAID_HEADER } from './link-proof.ts'

/**
 * Checks a request for a pipe to this node.
 * @param linkKey of this node's present run
 * @returns what the other node said, and the proof for its answer, which goes into {@link PROOF_HEADER}; null for everybody
 * but a node of the cluster
 */
export function admitPipe(
  { socket, headers }: IncomingMessage,
  linkKey: string,
): { said: string; proof: string } | null {
  const said = headers[SAID_HEADER]
  if (typeof said !== 'string') return null
  const proof = linkProof(socket, linkKey, 'owner', said)
  const right = linkProof(socket, linkKey, 'caller', said)
  if (proof === null || !isGoodProof(headers[PROOF_HEADER], right)) return null
  return { said, proof }
}
