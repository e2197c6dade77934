import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Chat } from '../../chat/chat.ts'
import { CHAT_EVENT_TYPES } from '../../chat/chat-client.ts'
import { type ChatGrant, looksLikeChatToken, verifyChatToken } from '../../chat/chat-token.ts'
import type { Clock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { Refusal } from '../../errors/refusal.ts'
import { newId } from '../../ids.ts'
import type { KeptSubscriptions, Subscriptions } from '../../projects/kept-subscriptions.ts'
import { expiredToken, outsideOfSpace, signInRefused, wrongToken } from '../authorization.ts'
import { ClientSockets } from '../client-sockets.ts'
import type { Connection } from '../connection.ts'
import { ErrorCode, type OutgoingEvent, type RpcRequest } from '../json-rpc.ts'
import { MovedClients } from '../moved-clients.ts'
import { orRefuseSignIn } from '../or-refuse-sign-in.ts'
import type { RoomHosts } from '../pipes/room-hosts.ts'
import type { TokenGate } from '../token-gate.ts'
import { CHAT_METHODS } from './chat-methods.ts'
import { ChatSession } from './chat-session.ts'

/** How long a client whose socket is gone stays in its channels. */
const RECONNECT_GRACE_MS = 30_000

const tokenOf = Compile(
  Type.Object({
    authentication: Type.Object({ jwt_token: Type.String() }),
    protocol: Type.Optional(Type.String({ maxLength: 500 })),
  }),
)

export interface ChatDirectoryOptions {
  chat: Chat
  cluster: Cluster
  /** Where the rooms are; null for a server without a cluster, which has all of them. */
  hosts: RoomHosts | null
  /** Key of the chat tokens. */
  tokenKey: Uint8Array
  tokenGate: TokenGate
  /** Whether the tokens of a project work at the host that a client connected to. */
  isInItsSpace(connection: Connection, projectId: string): boolean | Promise<boolean>
  keptSubscriptions: KeptSubscriptions
  clock: Clock
  nodeId: string
}

/** Methods that change the subscriptions of a client. */
const SUBSCRIBING: ReadonlySet<string> = new Set(['chat.subscribe', 'chat.unsubscribe'])

/** The clients of the chat. They connect like other clients, but with tokens and methods of their own. */
export class ChatDirectory {
  readonly clients: ClientSockets<ChatSession>
  readonly #options: ChatDirectoryOptions
  readonly #moved: MovedClients<ChatSession>

  constructor(options: ChatDirectoryOptions) {
    this.#options = options
    this.clients = new ClientSockets(options.clock)
    this.#moved = new MovedClients({
      cluster: options.cluster,
      kind: 'chat',
      clients: this.clients,
      ownerOf: ({ grant }) => grant.member_id,
      drop: (client) => this.#forget(client, false),
    })
  }

  /** Whether this connect request is for the chat. */
  static wants({ params }: RpcRequest): boolean {
    return tokenOf.Check(params) && looksLikeChatToken(params.authentication.jwt_token)
  }

  connect(connection: Connection, request: RpcRequest): Promise<void> {
    const { id, params } = request
    return orRefuseSignIn(connection, request, () =>
      this.clients.connectOnce(connection, request, async (isWaited) => {
        const grant = await this.#grantOf(connection, params)
        if (await this.#isPassedOn(connection, request, grant, isWaited)) return
        const protocol = String(params.protocol)
        const kept = await this.#keptFor(protocol, grant)
        if (!isWaited()) return
        const known = this.clients.named(protocol)
        const isSame = known?.belongsTo(grant) === true
        const place = { projectId: grant.project_id, tokenId: grant.id }
        // The client replaces its earlier socket, if that one is still open.
        const returning = isSame && known.connection !== null
        this.#options.tokenGate.admit(connection, place, { returning })
        const client = isSame ? known : this.#begin(connection, grant, kept && protocol)
        if (client === known) this.#resume(client, connection, grant)
        connection.authenticated()
        connection.reply(id, this.#result(client))
        client.line.resend()
        if (kept && client !== known) await this.#comesBack(client, kept)
      }),
    )
  }

  /** Serves a request of a client that has connected. Answers, or throws. @throws Refusal */
  async serve(client: ChatSession, connection: Connection, request: RpcRequest): Promise<void> {
    const { id } = request
    if (request.method === 'signalwire.reauthenticate') {
      await this.#reauthenticate(client, connection, request)
      return
    }
    const method = CHAT_METHODS.get(request.method)
    if (!method) {
      connection.replyError(id, ErrorCode.methodNotFound, `Method not found: ${request.method.slice(0, 100)}`)
      return
    }
    const fields = await method.call(this.#options.chat, client, request.params)
    if (SUBSCRIBING.has(request.method)) this.#keep(client)
    connection.reply(id, { code: '200', message: 'OK', ...fields })
  }

  /** Handles a socket that is gone. Its client stays in its channels for the grace. */
  disconnected(connection: Connection): void {
    const client = this.clients.release(connection)
    const { pageLeft } = connection
    client?.detach(connection, RECONNECT_GRACE_MS, () => this.#forget(client, pageLeft))
  }

  /** Stops waiting for clients that may come back. Their subscriptions stay stored for the next start. */
  stop(): void {
    for (const client of this.clients.all()) client.end()
  }

  /**
   * The subscriptions that a client had before the server was restarted.
   * @returns undefined when the client is still known, or new
   */
  #keptFor(protocol: string, grant: ChatGrant): Promise<Subscriptions | undefined> {
    const isNamed = protocol.endsWith(`_${grant.project_id}`) && !this.clients.named(protocol)
    if (!isNamed) return Promise.resolve(undefined)
    const { project_id: projectId, member_id: owner } = grant
    return this.#options.keptSubscriptions.find({ projectId, protocol, owner })
  }

  /** The chat of a session is where the session is: there it is known who is in. */
  async #isPassedOn(
    connection: Connection,
    request: RpcRequest,
    { id, project_id, seat }: ChatGrant,
    isWaited: () => boolean,
  ): Promise<boolean> {
    const { hosts, tokenGate } = this.#options
    if (!seat || !hosts || connection.peer.isPassedOn) return false
    tokenGate.admit(connection, { projectId: project_id, tokenId: id }, { returning: true })
    const { address, askedHost, host } = connection.peer
    const room = { project_id, name: seat.roomName }
    const peer = { address, askedHost, host, browserId: null }
    return hosts.passOn(connection, request, room, { mayBegin: false, peer, isWaited })
  }

  /** The client was on another node, or on this one before a restart. */
  async #comesBack(client: ChatSession, kept: Subscriptions): Promise<void> {
    client.line.hold()
    let missed: readonly OutgoingEvent[] = []
    try {
      await this.#restore(client, kept)
      const { protocol, grant } = client
      missed = (await this.#moved.fetch({ protocol, owner: grant.member_id })).events
    } finally {
      client.line.release(missed)
    }
  }

  /** Subscribes a client as it was before a restart, as far as its token still permits. */
  async #restore(client: ChatSession, kept: Subscriptions): Promise<void> {
    for (const [name, types] of Object.entries(kept)) {
      if (client.grant.channels.get(name)?.read !== true) continue
      const known = CHAT_EVENT_TYPES.filter((type) => types.includes(type))
      try {
        await this.#options.chat.subscribe(client, [name], known)
      } catch (error) {
        // Its member has left the conference.
        if (!(error instanceof Refusal)) throw error
      }
    }
    this.#keep(client)
  }

  #keep(client: ChatSession): void {
    const { chat, keptSubscriptions } = this.#options
    const { project_id: projectId, member_id: owner } = client.grant
    const subscriptions = chat.subscriptions(client)
    keptSubscriptions.keep({ projectId, owner, protocol: client.protocol, subscriptions })
  }

  #begin(connection: Connection, grant: ChatGrant, protocol: string | undefined): ChatSession {
    const { clock, tokenKey: key } = this.#options
    const client = new ChatSession({ grant, connection, clock, key, protocol })
    this.clients.assign(client, connection)
    return client
  }

  #resume(client: ChatSession, connection: Connection, grant: ChatGrant): void {
    this.clients.assign(client, connection, client.attach(connection))
    this.#renew(client, grant)
  }

  async #reauthenticate(client: ChatSession, connection: Connection, request: RpcRequest): Promise<void> {
    await orRefuseSignIn(connection, request, async () => {
      const grant = await this.#grantOf(connection, request.params)
      if (!client.belongsTo(grant)) {
        throw signInRefused('the new token is for another member.')
      }
      this.#renew(client, grant)
      connection.reply(request.id, this.#result(client))
    })
  }

  #renew(client: ChatSession, grant: ChatGrant): void {
    const before = [...client.grant.channels.keys()]
    client.grant = grant
    this.#options.chat.tokenChanged(client, before)
  }

  /**
   * The client leaves its channels.
   * @param forGood whether it cannot come back. A client that still tries is subscribed again when it succeeds
   */
  #forget(client: ChatSession, forGood: boolean): void {
    this.clients.forget(client)
    client.end()
    this.#options.chat.disconnected(client)
    const { grant, protocol } = client
    const { keptSubscriptions } = this.#options
    const name = { projectId: grant.project_id, protocol }
    if (forGood) keptSubscriptions.forget(name)
    else keptSubscriptions.release(name)
  }

  #grantOf(connection: Connection, params: unknown): Promise<ChatGrant> {
    return this.#options.tokenGate.judged(connection, () => this.#verify(connection, params))
  }

  async #verify(connection: Connection, params: unknown): Promise<ChatGrant> {
    const { tokenKey, clock, isInItsSpace } = this.#options
    if (!tokenOf.Check(params)) throw signInRefused('a token is needed.')
    const verified = await verifyChatToken(params.authentication.jwt_token, tokenKey, clock.now())
    if (verified.ok && !(await isInItsSpace(connection, verified.grant.project_id))) throw outsideOfSpace()
    if (verified.ok) return verified.grant
    if (verified.reason === 'expired') throw expiredToken()
    throw wrongToken('the token is not a chat token of this server. Ask for one at POST /api/chat/tokens.')
  }

  #result(client: ChatSession): object {
    return {
      identity: `${newId()}@${this.#options.nodeId}`,
      protocol: client.protocol,
      authorization: client.authorization,
      ice_servers: [],
    }
  }
}
