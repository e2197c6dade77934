import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Chat } from '../chat/chat.ts'
import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import type { Spaces } from '../projects/spaces.ts'
import type { ConferenceTokens } from '../rooms/conference-tokens.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import { Calls } from './calls.ts'
import { ChatDirectory } from './chat/chat-directory.ts'
import { CONFERENCE_CHAT_METHOD, giveConferenceChatToken } from './chat/conference-chat.ts'
import type { ClientSession } from './client-session.ts'
import { ClientDirectory } from './connect.ts'
import { Connection } from './connection.ts'
import { ErrorCode, type RpcRequest } from './json-rpc.ts'
import { callRoomMethod } from './room-methods/room-methods.ts'

/** The largest frame a client may send: an offer is some 10 kB. */
const FRAME_LIMIT_BYTES = 256 * 1024
const CONNECTION_LIMIT = 10_000

/** Apart, because the type declarations do not know `closeTimeout` yet. */
const SOCKET_OPTIONS = {
  noServer: true,
  maxPayload: FRAME_LIMIT_BYTES,
  perMessageDeflate: false,
  clientTracking: false,
  /** How long, in milliseconds, a closed socket waits for its peer to say so too; one that vanished never does. */
  closeTimeout: 2000,
}

/** Where the relay is served: `/`, which the client takes when a token names a host alone, and a path of its own. */
const RELAY_PATHS: ReadonlySet<string> = new Set(['/', '/relay'])

export interface ClientSurfaceOptions {
  registry: SessionRegistry
  /** Key of the room tokens. */
  tokenKey: Uint8Array
  conferenceTokens: Pick<ConferenceTokens, 'redeem'>
  spaces: Spaces
  chat: Chat
  /** Key of the chat tokens. */
  chatTokenKey: Uint8Array
  /** Host, and port unless it is 443, where clients reach this server; null where that is as they say themselves. */
  publicHost?: string | null
  clock: Clock
  log: Logger
  /** Handed to browsers as they are. Only for installations with a working TURN server (client-protocol, rule 3). */
  iceServers?: readonly object[]
}

/** The WebSocket surface that browsers speak. */
export interface ClientSurface {
  /**
   * Takes over a connection that wants to be a WebSocket; for the `upgrade` event of an HTTP server.
   * @returns false when the path is not served here: the socket is then left alone
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Open sockets. */
  readonly connectionCount: number
  /** Clients that are connected, or in a call that they may come back to. */
  readonly clientCount: number
  /** Closes all sockets. Sessions are ended by the registry, which must be stopped before so that clients are told. */
  stop(): Promise<void>
}

/** Makes the surface; nothing happens until upgrades are handed to it. */
export function createClientSurface(options: ClientSurfaceOptions): ClientSurface {
  return new Surface(options)
}

class Surface implements ClientSurface {
  readonly #options: ClientSurfaceOptions
  readonly #directory: ClientDirectory
  readonly #calls: Calls
  readonly #chat: ChatDirectory
  /** Where each client found this server. */
  readonly #hosts = new WeakMap<Connection, string>()
  readonly #connections = new Set<Connection>()
  readonly #webSockets = new WebSocketServer(SOCKET_OPTIONS)

  constructor(options: ClientSurfaceOptions) {
    this.#options = options
    const { registry, clock, tokenKey, conferenceTokens, spaces, iceServers = [] } = options
    const nodeId = newId()
    const hostOf = (connection: Connection) => this.#hosts.get(connection) ?? ''
    const isInItsSpace = (connection: Connection, projectId: string) =>
      spaces.admits(projectId, hostOf(connection))
    this.#directory = new ClientDirectory({
      registry,
      clock,
      tokenKey,
      conferenceTokens,
      isInItsSpace,
      nodeId,
      iceServers,
    })
    const onIdle = (client: ClientSession) => this.#directory.forgetIfIdle(client)
    const { chat, chatTokenKey } = options
    this.#chat = new ChatDirectory({ chat, tokenKey: chatTokenKey, isInItsSpace, clock, nodeId })
    this.#calls = new Calls({ registry, clock, nodeId, hostOf, onIdle })
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  get clientCount(): number {
    return this.#directory.size + this.#chat.size
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    if (!RELAY_PATHS.has(pathname)) return false
    if (this.#connections.size >= CONNECTION_LIMIT) {
      socket.end('HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
      return true
    }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
      this.#accept(webSocket, this.#hostFor(request)),
    )
    return true
  }

  /** Where clients of the space of a request find this server; see `publicHost` of the HTTP surface. */
  #hostFor({ headers: { host = 'localhost' } }: IncomingMessage): string {
    const { publicHost, spaces } = this.#options
    return spaces.isSpace(host) ? host : (publicHost ?? host)
  }

  async stop(): Promise<void> {
    for (const connection of [...this.#connections]) connection.close(1001, 'the server is shutting down')
    this.#webSockets.close()
    this.#chat.stop()
  }

  #accept(socket: WebSocket, host: string): void {
    const connection = new Connection({
      socket,
      clock: this.#options.clock,
      log: this.#options.log,
      onRequest: (from, request) => this.#serve(from, request),
      onClosed: (closed) => {
        this.#connections.delete(closed)
        this.#directory.disconnected(closed)
        this.#chat.disconnected(closed)
      },
    })
    this.#connections.add(connection)
    this.#hosts.set(connection, host)
  }

  async #serve(connection: Connection, request: RpcRequest): Promise<void> {
    const { id, method } = request
    if (method === 'signalwire.ping') return connection.reply(id, { timestamp: timestampOf(request) })
    const [client, chatClient] = [this.#directory.of(connection), this.#chat.of(connection)]
    if (method === 'signalwire.connect') {
      // Whichever it is connected to already says so.
      const isChat = !client && (chatClient !== undefined || ChatDirectory.wants(request))
      return (isChat ? this.#chat : this.#directory).connect(connection, request)
    }
    if (chatClient) return this.#chat.serve(chatClient, connection, request)
    if (!client) {
      connection.replyError(id, ErrorCode.authentication, 'Not connected: send signalwire.connect first.')
      return
    }
    switch (method) {
      case 'signalwire.reauthenticate':
        return this.#directory.reauthenticate(client, connection, request)
      case 'video.message':
      case 'webrtc.verto':
        return this.#calls.message(client, connection, request)
      case CONFERENCE_CHAT_METHOD: {
        const { chatTokenKey: tokenKey, clock } = this.#options
        const host = this.#hosts.get(connection) ?? ''
        return giveConferenceChatToken(client, connection, request, { tokenKey, clock, host })
      }
      default:
        return callRoomMethod(client, connection, request)
    }
  }
}

/** What a client calls now, to measure the way with; null where it is no number. */
function timestampOf({ params: { timestamp } }: RpcRequest): number | null {
  return typeof timestamp === 'number' ? timestamp : null
}
