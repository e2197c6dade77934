import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'
import type { Cluster, ClusterNode } from '../../cluster/cluster.ts'
import { admitPipe } from '../../cluster/pipes/admit-pipe.ts'
import { openPipe } from '../../cluster/pipes/open-pipe.ts'
import type { NamedRoom } from '../../rooms/sessions/room-owners.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { type Connection, SERVICE_RESTART } from '../connection.ts'
import { type RpcRequest, requestFrame } from '../json-rpc.ts'
import { joinSockets } from './join-sockets.ts'
import { PIPE_PATH, type PipedPeer, readPeer, writePeer } from './piped-peer.ts'

/** One socket that this node passes on. */
interface Pipe {
  node: ClusterNode
  client: WebSocket
  owner: WebSocket
}

export interface RoomHostsOptions {
  cluster: Cluster
  registry: Pick<SessionRegistry, 'owners' | 'placement'>
}

/**
 * The sockets between the nodes of a cluster: those of clients that this node passes on to the owners of their rooms, and
 * those that it takes for its own rooms.
 */
export class RoomHosts {
  readonly #options: RoomHostsOptions
  readonly #pipes = new Set<Pipe>()
  readonly #stopListening: () => void

  constructor(options: RoomHostsOptions) {
    this.#options = options
    this.#stopListening = options.cluster.nodes.onGone(({ run }) => {
      for (const pipe of this.#pipes) if (pipe.node.run === run) this.#end(pipe)
    })
  }

  /** Number of sockets that are passed on. */
  get size(): number {
    return this.#pipes.size
  }

  /**
   * Passes a client's socket on to the node that owns its room, unless that is this one.
   * @param request its sign-in, which the owner answers
   * @param mayBegin whether a room without an owner gets one
   * @param isWaited whether the client still waits for the answer
   * @returns false when the client is to be served here
   * @throws Refusal `unavailable`
   */
  async passOn(
    connection: Connection,
    request: RpcRequest,
    room: NamedRoom,
    { mayBegin, peer, isWaited }: { mayBegin: boolean; peer: PipedPeer; isWaited: () => boolean },
  ): Promise<boolean> {
    const { cluster, registry } = this.#options
    const self = cluster.nodes.self.name
    const said = writePeer(peer)
    const found = await registry.placement.reach(room, { mayBegin }, async (node, withinMs) =>
      node.name === self ? null : { node, owner: await openPipe(node, PIPE_PATH, said, withinMs) },
    )
    if (found === null) return false
    const { node, owner } = found
    if (!isWaited()) {
      owner.close()
      return true
    }
    const { socket: client, held } = connection.handOver()
    const pipe = { node, client, owner }
    this.#pipes.add(pipe)
    joinSockets(client, owner, () => this.#pipes.delete(pipe))
    for (const { id, method, params } of [request, ...held]) owner.send(requestFrame(id, method, params))
    return true
  }

  /** Whether this is the node of that name. */
  async isHere(owner: Promise<string>): Promise<boolean> {
    return (await owner) === this.#options.cluster.nodes.self.name
  }

  /**
   * Checks a request for a pipe to this node.
   * @returns null for everybody but a node of the cluster
   */
  admit(request: IncomingMessage): { peer: PipedPeer; proof: string } | null {
    const admitted = admitPipe(request, this.#options.cluster.nodes.self.linkKey)
    return admitted && { peer: readPeer(admitted.said), proof: admitted.proof }
  }

  stop(): void {
    this.#stopListening()
    for (const pipe of this.#pipes) this.#end(pipe)
  }

  #end({ client, owner }: Pipe): void {
    client.close(SERVICE_RESTART, 'the server of the room is gone')
    owner.terminate()
  }
}
