import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { WebSocket } from 'ws'
import { type ClusterNode, NodeUnreachable } from '../../cluster/cluster.ts'
import { isGoodProof, linkProof } from './link-proof.ts'
import { PEER_HEADER, PIPE_PATH, type PipedPeer, PROOF_HEADER, writePeer } from './piped-peer.ts'

const OPEN_MS = 3000
/** The largest frame of a server to a client. */
const FRAME_LIMIT_BYTES = 16 * 1024 * 1024

/**
 * Opens a WebSocket to another node, for one client. Both ends prove that they know the key of that node.
 * @throws NodeUnreachable
 */
export function openPipe(node: ClusterNode, peer: PipedPeer): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const said = writePeer(peer)
    let secured: TLSSocket | null = null
    const socket = new WebSocket(`wss://${node.address}${PIPE_PATH}`, {
      // The proofs say who is at the other end, whatever certificate it has.
      rejectUnauthorized: false,
      perMessageDeflate: false,
      handshakeTimeout: OPEN_MS,
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
  request.setHeader(PEER_HEADER, said)
  request.setHeader(PROOF_HEADER, linkProof(tls, key, 'caller', said) ?? '')
  request.end()
}
