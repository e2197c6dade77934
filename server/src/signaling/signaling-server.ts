import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Chat } from '../chat/chat.ts'
import type { Clock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { PROOF_HEADER } from '../cluster/pipes/link-proof.ts'
import { Containment } from '../containment.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { ConnectionPool } from '../limits/connection-pool.ts'
import type { FailedSignIns } from '../limits/failed-sign-ins.ts'
import type { RefusedSignIns } from '../limits/refused-sign-ins.ts'
import type { TrustedProxies } from '../limits/trusted-proxies.ts'
import type { Tallies } from '../metrics/tallies.ts'
import type { KeptSubscriptions } from '../projects/kept-subscriptions.ts'
import type { Spaces } from '../projects/spaces.ts'
import { publicHost } from '../public-host.ts'
import type { ConferenceTokens } from '../rooms/conference-tokens.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import type { IceServers } from '../turn/ice-servers.ts'
import { type BackEndCredentials, BackEndDirectory } from './back-ends/back-end-directory.ts'
import { browserOf, type KnownBrowser } from './browser-id.ts'
import { Calls } from './calls.ts'
import { ChatDirectory } from './chat/chat-directory.ts'
import { CHAT_TOKEN_METHOD, giveChatToken } from './chat/room-chat.ts'
import type { ClientLine } from './client-line.ts'
import { ClientDirectory } from './connect.ts'
import { Connection, type Peer } from './connection.ts'
import { ErrorCode, type RpcRequest } from './json-rpc.ts'
import { PIPE_PATH } from './pipes/piped-peer.ts'
import { RoomHosts } from './pipes/room-hosts.ts'
import { callRoomMethod, ROOM_METHODS } from './room-methods/room-methods.ts'
import type { SignalingSession } from './signaling-session.ts'
import { TokenGate } from './token-gate.ts'

/** The largest frame that a client may send. An offer has about 10 kB. */
const FRAME_LIMIT_BYTES = 256 * 1024

/** A constant of its own, because the type declarations do not know `closeTimeout` yet. */
const SOCKET_OPTIONS = {
  noServer: true,
  maxPayload: FRAME_LIMIT_BYTES,
  perMessageDeflate: false,
  clientTracking: false,
  /**
   * How long a closed socket waits for the close frame of its peer, in milliseconds. A peer that vanished never sends
   * one.
   */
  closeTimeout: 2000,
}

/**
 * Answer to a handshake from a client behind a proxy, when the client's address has reached its limit of connections.
 */
const TOO_MANY_CONNECTIONS = [
  'HTTP/1.1 429 Too Many Requests',
  'Retry-After: 60',
  'Connection: close',
  'Content-Length: 0',
  '\r\n',
].join('\r\n')

/** Paths of the relay: `/`, which the client uses when a token names only a host, and a path of its own. */
const RELAY_PATHS: ReadonlySet<string> = new Set(['/', '/relay'])

export interface SignalingServerOptions {
  registry: SessionRegistry
  cluster: Cluster
  /** Key of the room tokens. */
  tokenKey: Uint8Array
  conferenceTokens: Pick<ConferenceTokens, 'redeem'>
  spaces: Spaces
  chat: Chat
  credentials: BackEndCredentials
  keptSubscriptions: KeptSubscriptions
  /** Key of the chat tokens. */
  chatTokenKey: Uint8Array
  /** Whether rooms have a chat; true unless given. Conferences say it themselves. */
  roomChat?: boolean
  /** URL where clients reach this server, as configured. Null means: take it from the request. */
  publicUrl?: string | null
  proxies: Pick<TrustedProxies, 'clientOf' | 'hostOf'>
  connections: Pick<ConnectionPool, 'cameFrom' | 'passedOn' | 'signIn'>
  failedSignIns: FailedSignIns
  refusedSignIns: Pick<RefusedSignIns, 'note'>
  clock: Clock
  tallies: Pick<Tallies, 'webSocketRequests'>
  log: Logger
  iceServers: IceServers
}

/** The WebSocket service for browsers. */
export interface SignalingServer {
  /**
   * Takes over a connection that asks for an upgrade to WebSocket. Meant for the `upgrade` event of an HTTP server.
   * @returns false when the path is not served here; the socket is then left untouched
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Number of open sockets. */
  readonly connectionCount: number
  /** Number of clients that are connected, or in a call that they may come back to. */
  readonly clientCount: number
  /** Closes all sockets. The registry ends the sessions. Stop it first, so that clients are told. */
  stop(): Promise<void>
}

/** Creates the service. It does nothing until it gets upgrades. */
export function createSignalingServer(options: SignalingServerOptions): SignalingServer {
  return new Surface(options)
}

/** Scheme and authority before the path of a request target (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

/** The path of a request, without decoding. It works for every spelling of a target. */
function pathOf({ url = '/' }: IncomingMessage): string {
  return url.replace(ABSOLUTE_FORM, '').split(/[?#]/, 1)[0] || '/'
}

class Surface implements SignalingServer {
  readonly #options: SignalingServerOptions
  readonly #directory: ClientDirectory
  /** Null for a server without a cluster. */
  readonly #hosts: RoomHosts | null
  /** Proofs for the nodes whose pipes are being opened. */
  readonly #proofs = new WeakMap<IncomingMessage, string>()
  readonly #calls: Calls
  readonly #chat: ChatDirectory
  readonly #backEnds: BackEndDirectory
  readonly #browsers = new WeakMap<Connection, KnownBrowser>()
  /** Browsers whose handshake is under way. */
  readonly #arriving = new WeakMap<IncomingMessage, KnownBrowser>()
  readonly #connections = new Set<Connection>()
  readonly #containment: Containment
  readonly #webSockets = new WebSocketServer(SOCKET_OPTIONS)

  constructor(options: SignalingServerOptions) {
    this.#options = options
    this.#containment = new Containment(options.log)
    const { registry, clock, tokenKey, conferenceTokens, spaces, iceServers } = options
    const nodeId = newId()
    const isInItsSpace = ({ peer }: Connection, projectId: string) => spaces.admits(projectId, peer.askedHost)
    const tokenGate = new TokenGate(options)
    this.#hosts = options.cluster.isAlone ? null : new RoomHosts(options)
    this.#directory = new ClientDirectory({
      registry,
      hosts: this.#hosts,
      clock,
      tokenKey,
      conferenceTokens,
      tokenGate,
      isInItsSpace,
      browserIdOf: (connection) => this.#browsers.get(connection)?.id ?? null,
      nodeId,
      iceServers,
    })
    this.#webSockets.on('headers', (headers, request) => {
      const setCookie = this.#arriving.get(request)?.setCookie
      if (setCookie) headers.push(`Set-Cookie: ${setCookie}`)
      const proof = this.#proofs.get(request)
      if (proof) headers.push(`${PROOF_HEADER}: ${proof}`)
    })
    if (this.#hosts) registry.onRoomLost((room) => this.#directory.roomLost(room))
    const onIdle = (client: SignalingSession) => this.#directory.forgetIfIdle(client)
    const { chat, chatTokenKey } = options
    const shared = {
      chat,
      cluster: options.cluster,
      tokenGate,
      isInItsSpace,
      keptSubscriptions: options.keptSubscriptions,
      clock,
      nodeId,
    }
    this.#chat = new ChatDirectory({ ...shared, hosts: this.#hosts, tokenKey: chatTokenKey })
    this.#backEnds = new BackEndDirectory({
      ...shared,
      registry,
      log: options.log,
      credentials: options.credentials,
      key: tokenKey,
    })
    this.#calls = new Calls({ registry, clock, nodeId, onIdle })
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  get clientCount(): number {
    return this.#directory.clients.size + this.#chat.clients.size + this.#backEnds.clients.size
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const path = pathOf(request)
    if (path === PIPE_PATH && this.#hosts) return this.#takePipe(this.#hosts, request, socket, head)
    if (!RELAY_PATHS.has(path)) return false
    const peer = this.#peerOf(request, socket)
    if (!this.#options.connections.cameFrom(socket, peer.address)) return refuse(socket)
    const browser = browserOf(request, [peer.host, request.headers.host ?? peer.host])
    if (browser) this.#arriving.set(request, browser)
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
      this.#accept(webSocket, peer, browser),
    )
    return true
  }

  /** Takes a client whose socket another node passes on. */
  #takePipe(hosts: RoomHosts, request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const admitted = hosts.admit(request)
    if (!admitted) return false
    const { browserId, ...client } = admitted.peer
    if (!this.#options.connections.passedOn(socket, client.address)) return refuse(socket)
    this.#proofs.set(request, admitted.proof)
    const browser = browserId === null ? null : { id: browserId, setCookie: null }
    const peer = { ...client, socket, isPassedOn: true }
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) =>
      this.#accept(webSocket, peer, browser),
    )
    return true
  }

  #peerOf(request: IncomingMessage, socket: Duplex): Peer {
    const { publicUrl = null, spaces, proxies } = this.#options
    const askedHost = proxies.hostOf(request)
    const { localPort } = request.socket
    const host = publicHost(publicUrl, spaces, { host: askedHost, localPort })
    return { socket, address: proxies.clientOf(request), askedHost, host, isPassedOn: false }
  }

  async stop(): Promise<void> {
    for (const connection of [...this.#connections]) connection.close(1001, 'the server is shutting down')
    this.#hosts?.stop()
    this.#webSockets.close()
    this.#chat.stop()
    this.#backEnds.stop()
    await this.#options.keptSubscriptions.stop()
  }

  #accept(socket: WebSocket, peer: Peer, browser: KnownBrowser | null): void {
    const connection = new Connection({
      socket,
      peer,
      clock: this.#options.clock,
      log: this.#options.log,
      containment: this.#containment,
      onRequest: (from, request) => this.#counted(request, this.#serve(from, request)),
      onAnswer: (from, answered) => this.#lineOf(from)?.acknowledged(String(answered)) ?? false,
      onSignInRefused: (from, reason) =>
        this.#options.refusedSignIns.note('websocket', from.peer.address, reason),
      onClosed: (closed) => {
        this.#connections.delete(closed)
        this.#directory.disconnected(closed)
        this.#chat.disconnected(closed)
        this.#backEnds.disconnected(closed)
      },
    })
    this.#connections.add(connection)
    this.#options.registry.expectJoin()
    if (browser) this.#browsers.set(connection, browser)
  }

  #lineOf(connection: Connection): ClientLine | undefined {
    const client = this.#directory.clients.of(connection) ?? this.#chat.clients.of(connection)
    return (client ?? this.#backEnds.clients.of(connection))?.line
  }

  async #counted(request: RpcRequest, serving: Promise<void>): Promise<void> {
    const method = isKnownMethod(request.method) ? request.method : 'other'
    const count = (status: string) => this.#options.tallies.webSocketRequests.add({ method, status })
    try {
      await serving
      count('200')
    } catch (error) {
      count(error instanceof Refusal ? error.webSocketCode : '500')
      throw error
    }
  }

  async #serve(connection: Connection, request: RpcRequest): Promise<void> {
    const { id, method } = request
    if (method === 'signalwire.ping') return connection.reply(id, { timestamp: timestampOf(request) })
    const [client, chatClient] = [this.#directory.clients.of(connection), this.#chat.clients.of(connection)]
    const backEnd = this.#backEnds.clients.of(connection)
    if (method === 'signalwire.connect') {
      // A client that is connected already stays where it is, and that service reports the error.
      if (client) return this.#directory.connect(connection, request)
      if (chatClient) return this.#chat.connect(connection, request)
      if (backEnd || BackEndDirectory.wants(request)) return this.#backEnds.connect(connection, request)
      return (ChatDirectory.wants(request) ? this.#chat : this.#directory).connect(connection, request)
    }
    if (backEnd) return this.#backEnds.serve(backEnd, connection, request)
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
      case CHAT_TOKEN_METHOD: {
        const { chatTokenKey: tokenKey, clock, roomChat = true } = this.#options
        return giveChatToken(client, connection, request, {
          tokenKey,
          roomChat,
          clock,
          host: connection.peer.host,
        })
      }
      default:
        return callRoomMethod(client, connection, request)
    }
  }
}

/** @returns true: the socket was taken */
function refuse(socket: Duplex): boolean {
  socket.on('error', () => socket.destroy())
  socket.end(TOO_MANY_CONNECTIONS)
  return true
}

/** The client's timestamp, with which it measures the round trip; null when it is not a number. */
function timestampOf({ params: { timestamp } }: RpcRequest): number | null {
  return typeof timestamp === 'number' ? timestamp : null
}

/** Methods beside those of rooms, which are counted by name. */
const OTHER_METHODS: ReadonlySet<string> = new Set([
  'signalwire.connect',
  'signalwire.reauthenticate',
  'signalwire.ping',
  'video.message',
  'webrtc.verto',
  CHAT_TOKEN_METHOD,
])

const isKnownMethod = (method: string) => OTHER_METHODS.has(method) || ROOM_METHODS.has(method)
