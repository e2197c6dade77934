import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { WebSocket } from 'ws'
import { type ClusterNode, NodeUnreachable } from '../cluster.ts'
import { isGoodProof, linkProof, PROOF_HEADER, SAID_HEADER } from './link-proof.ts'

const OPEN_MS = 3000
/** The largest frame of a server to a client. */
const FRAME_LIMIT_BYTES = 16 * 1024 * 1024

/**
 * Opens a WebSocket to another node. Both ends prove that they know the key of that node.
 * @param path what the pipe is for
 * @param said what the other node has to know before; printable ASCII
 * @param withinMs how long it may take, if that is less than the usual {@link OPEN_MS}
 * @throws NodeUnreachable
 */
export function openPipe(
  node: ClusterNode,
  path: string,
  said: string,
  withinMs = OPEN_MS,
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    let secured: TLSSocket | null = null
    const socket = new WebSocket(`wss://${node.address}${path}`, {
      // The proofs say who is at the other end, whatever certificate it has.
      rejectUnauthorized: false,
      perMessageDeflate: false,
      handshakeTimeout: Math.min(OPEN_MS, withinMs),
      maxPayload: FRAME_LIMIT_BYTES,
      finishRequest(request) {
        request.on('socket', (tls) => {
          tls.once('secureConnect', () => {
            secured = tls as TLSSocket
            prove(request as ClientRequest, secured, node.linkKey, said)
          })
        })
      },
    })
    const fail = (cause: unknown) => {
      socket.terminate()
      reject(new NodeUnreachable(`no pipe to node ${node.name}`, { cause }))
    }
    socket.once('error', fail)
    socket.once('upgrade', ({ headers }: IncomingMessage) => {
      const right = secured && linkProof(secured, node.linkKey, 'owner', said)
      if (!isGoodProof(headers[PROOF_HEADER], right)) fail(new Error('it does not know its key'))
    })
    socket.once('open', () => {
      socket.off('error', fail)
      socket.on('error', () => socket.terminate())
      resolve(socket)
    })
  })
}

function prove(request: ClientRequest, tls: TLSSocket, key: string, said: string): void {
  request.setHeader(SAID_HEADER, said)
  request.setHeader(PROOF_HEADER, linkProof(tls, key, 'caller', said) ?? '')
  request.end()
}
