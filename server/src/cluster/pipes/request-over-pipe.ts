import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { type ClusterNode, NodeUnreachable } from '../cluster.ts'
import { isGoodProof, linkProof, PROOF_HEADER, SAID_HEADER } from './link-proof.ts'

const ANSWER_MS = 5000
/** How soon it is noticed that the other machine is gone, while an answer is read. */
const KEEP_ALIVE_MS = 5000

/** A request of one node to another. */
export interface PipedRequest {
  method: 'GET' | 'HEAD'
  path: string
  /** What the other node has to know, and nobody may change on the way; printable ASCII. */
  said: string
  headers: OutgoingHttpHeaders
}

/**
 * Sends a request to another node, over a connection of its own. Both ends prove that they know the key of that node.
 * @returns the answer, which the caller has to read or destroy
 * @throws NodeUnreachable
 */
export function requestOverPipe(
  node: ClusterNode,
  { method, path, said, headers }: PipedRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(`https://${node.address}${path}`, {
      method,
      headers,
      agent: false,
      // The proofs say who is at the other end, whatever certificate it has.
      rejectUnauthorized: false,
    })
    const fail = (cause: unknown) => {
      clearTimeout(timer)
      asked.destroy()
      reject(new NodeUnreachable(`node ${node.name} does not answer`, { cause }))
    }
    const timer = setTimeout(() => fail(new Error('no answer in time')), ANSWER_MS)
    asked.on('error', fail)
    let secured: TLSSocket | null = null
    asked.on('socket', (socket) => {
      socket.setKeepAlive(true, KEEP_ALIVE_MS)
      socket.once('secureConnect', () => {
        secured = socket as TLSSocket
        asked.setHeader(SAID_HEADER, said)
        asked.setHeader(PROOF_HEADER, linkProof(secured, node.linkKey, 'caller', said) ?? '')
        asked.end()
      })
    })
    asked.on('response', (answer) => {
      const right = secured && linkProof(secured, node.linkKey, 'owner', said)
      if (!isGoodProof(answer.headers[PROOF_HEADER], right))
        return fail(new Error('it does not know its key'))
      clearTimeout(timer)
      resolve(answer)
    })
  })
}
