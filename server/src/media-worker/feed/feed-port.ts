import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { FeedAddress } from '../../media/channel.ts'
import { greetReader, MOST_GREETING_BYTES } from './feed-greeting.ts'
import { MessageStream } from './message-stream.ts'

const HOST = '127.0.0.1'
/** More at once are turned away: each worker has one connection for each room that it serves. */
const MOST_CONNECTIONS = 1024

interface Offer {
  secret: Buffer
  /** The worker that may read the feed has connected. */
  onReader: (stream: MessageStream) => void
}

/** The TCP port of this process at which other workers fetch feeds. It is opened for the first feed. */
export class FeedPort {
  readonly #offers = new Map<string, Offer>()
  #server: Promise<Server> | null = null
  #closed = false

  /** Whoever proves to know the secret gets the feed, also when it comes again. */
  async offer(feedId: string, offer: Offer): Promise<FeedAddress> {
    this.#offers.set(feedId, offer)
    try {
      this.#server ??= listen((socket) => this.#greet(socket))
      const server = await this.#server
      if (this.#closed) throw new Error('the worker ends')
      return { host: HOST, port: (server.address() as AddressInfo).port }
    } catch (error) {
      this.#server = null
      this.#offers.delete(feedId)
      throw error
    }
  }

  withdraw(feedId: string): void {
    this.#offers.delete(feedId)
  }

  /** Nobody can connect any more. Final. */
  close(): void {
    this.#closed = true
    this.#offers.clear()
    this.#server?.then(
      (server) => server.close(),
      () => {},
    )
  }

  #greet(socket: Socket): void {
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 5000)
    const stream = new MessageStream(socket, MOST_GREETING_BYTES)
    const secretOf = (feedId: string) => this.#offers.get(feedId)?.secret ?? null
    greetReader(stream, secretOf, (feedId) => {
      const offer = this.#offers.get(feedId)
      if (offer) offer.onReader(stream)
      else stream.close()
    })
  }
}

async function listen(onConnection: (socket: Socket) => void): Promise<Server> {
  const server = createServer(onConnection)
  server.maxConnections = MOST_CONNECTIONS
  server.listen(0, HOST)
  await once(server, 'listening')
  // A fault of accepting, such as too many open files, costs that connection.
  server.on('error', () => {})
  return server
}
