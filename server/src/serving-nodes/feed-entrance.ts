import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { Logger } from 'pino'
import type { ClusterNode } from '../cluster/cluster.ts'
import { openPipe } from '../cluster/pipes/open-pipe.ts'
import type { FeedAddress } from '../media/channel.ts'
import { endWhenSilent, joinFeed } from './join-feed.ts'
import { FEED_PATH } from './messages.ts'

const HOST = '127.0.0.1'
/** The worker has one connection, and a second one for a moment when it connects again. */
const MOST_CONNECTIONS = 4

/**
 * A TCP port of this machine at which a worker finds a feed of another node. Each connection gets a pipe of its own to that node.
 * Who may read the feed is settled between the two workers, so nothing is lost if somebody else connects.
 */
export class FeedEntrance {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  /** @throws Error where no port can be opened */
  static async open(owner: ClusterNode, feedId: string, log: Logger): Promise<FeedEntrance> {
    const server = createServer()
    server.maxConnections = MOST_CONNECTIONS
    server.listen(0, HOST)
    await once(server, 'listening')
    // A fault of accepting, such as too many open files, costs that connection.
    server.on('error', () => {})
    return new FeedEntrance(server, { owner, feedId, log })
  }

  private constructor(server: Server, way: { owner: ClusterNode; feedId: string; log: Logger }) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => this.#sockets.delete(socket))
      openPipe(way.owner, FEED_PATH, way.feedId).then(
        (pipe) => {
          if (socket.destroyed) return pipe.terminate()
          endWhenSilent(pipe)
          joinFeed(pipe, socket)
        },
        (err: unknown) => {
          way.log.debug({ err, node: way.owner.name }, 'the feed of a room cannot be reached')
          socket.destroy()
        },
      )
    })
  }

  get address(): FeedAddress {
    return { host: HOST, port: (this.#server.address() as AddressInfo).port }
  }

  /** Ends the connections, too. */
  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}
