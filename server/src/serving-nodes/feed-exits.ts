import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Nodes } from '../cluster/cluster.ts'
import { admitPipe } from '../cluster/pipes/admit-pipe.ts'
import { PROOF_HEADER } from '../cluster/pipes/link-proof.ts'
import type { FeedAddress } from '../media/channel.ts'
import { joinFeed } from './join-feed.ts'
import { FEED_PATH } from './messages.ts'

/** Larger than any chunk that is passed on. Serving workers only ask for something. */
const FRAME_LIMIT_BYTES = 256 * 1024
const KEEP_ALIVE_MS = 5000
/** How long a closed pipe waits for the close frame of its peer. */
const CLOSE_MS = 2000

/** Where other nodes fetch the feeds of rooms that this node owns. */
export class FeedExits {
  readonly #nodes: Pick<Nodes, 'self'>
  /** Where the worker has each feed. */
  readonly #feeds = new Map<string, FeedAddress>()
  readonly #pipes = new Set<WebSocket>()
  readonly #proofs = new WeakMap<IncomingMessage, string>()
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_LIMIT_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
    ...{ closeTimeout: CLOSE_MS },
  })

  constructor(nodes: Pick<Nodes, 'self'>) {
    this.#nodes = nodes
    this.#webSockets.on('headers', (headers, request) =>
      headers.push(`${PROOF_HEADER}: ${this.#proofs.get(request)}`),
    )
  }

  /** Other nodes may fetch this feed from now on. */
  offer(feedId: string, { host, port }: FeedAddress): void {
    this.#feeds.set(feedId, { host, port })
  }

  withdraw(feedId: string): void {
    this.#feeds.delete(feedId)
  }

  /**
   * Takes over a connection of another node that wants a feed.
   * @param onTaken called before, for the limits on connections
   * @returns false for everybody else; the socket is then left untouched
   */
  takeOver(request: IncomingMessage, socket: Duplex, head: Buffer, onTaken: () => void): boolean {
    if (request.url !== FEED_PATH) return false
    const admitted = admitPipe(request, this.#nodes.self.linkKey)
    const feed = admitted && this.#feeds.get(admitted.said)
    if (!feed) return false
    onTaken()
    this.#proofs.set(request, admitted.proof)
    request.socket.setKeepAlive(true, KEEP_ALIVE_MS)
    this.#webSockets.handleUpgrade(request, socket, head, (pipe) => {
      this.#pipes.add(pipe)
      pipe.on('close', () => this.#pipes.delete(pipe))
      joinFeed(pipe, connect({ host: feed.host, port: feed.port }))
    })
    return true
  }

  stop(): void {
    this.#feeds.clear()
    for (const pipe of this.#pipes) pipe.terminate()
    this.#webSockets.close()
  }
}
