import { createHmac } from 'node:crypto'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Chat } from '../../chat/chat.ts'
import type { Clock, Timer } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { newId } from '../../ids.ts'
import type { ShownApiToken } from '../../projects/api-tokens.ts'
import type { Credentials } from '../../projects/credentials.ts'
import type { KeptSubscriptions } from '../../projects/kept-subscriptions.ts'
import type { Scope } from '../../projects/scopes.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { newProtocol, outsideOfSpace, signInRefused } from '../authorization.ts'
import { ClientSockets } from '../client-sockets.ts'
import type { Connection } from '../connection.ts'
import { ErrorCode, type RpcRequest } from '../json-rpc.ts'
import { MovedClients } from '../moved-clients.ts'
import { orRefuseSignIn } from '../or-refuse-sign-in.ts'
import type { TokenGate } from '../token-gate.ts'
import { BackEndMethods } from './back-end-methods.ts'
import { BackEndSession } from './back-end-session.ts'
import { EventExchange } from './event-exchange.ts'
import { SessionsElsewhere } from './sessions-elsewhere.ts'

const ConnectParams = Compile(
  Type.Object({
    authentication: Type.Object({
      project: Type.String({ minLength: 1, maxLength: 100 }),
      token: Type.String({ minLength: 1, maxLength: 1000 }),
    }),
    protocol: Type.Optional(Type.String({ maxLength: 500 })),
  }),
)

/** A back end that watches a thousand rooms subscribes to each of them as soon as it hears of it. */
const TERMS = { requests: { burst: 5000, perSecond: 200 }, gatherMs: 10 }
/** Interval between checks that the API tokens of connected back ends are still there. */
const TOKEN_CHECK_MS = 2000
/** How long a back end without a socket may come back to its subscriptions. */
const ABSENCE_MS = 60 * 60 * 1000
/** Most back ends of one project that may come back. Those that left first are forgotten first. */
const ABSENT_MAX = 100

/** After so long, the sessions of a node that was lost are completed, or have begun again on another one. */
const SETTLED_MS = 8000

const USEFUL_SCOPES: readonly Scope[] = ['video', 'chat', 'pubsub']

/** Checks the API tokens of back ends. */
export type BackEndCredentials = Pick<Credentials, 'find' | 'isCurrent' | 'version' | 'noteUse'>

export interface BackEndDirectoryOptions {
  registry: SessionRegistry
  cluster: Cluster
  chat: Chat
  credentials: BackEndCredentials
  keptSubscriptions: KeptSubscriptions
  tokenGate: TokenGate
  /** Whether the tokens of a project work at the host that a client connected to. */
  isInItsSpace(connection: Connection, projectId: string): boolean | Promise<boolean>
  /** Key of the signatures by which clients recognise their sessions. */
  key: Uint8Array
  clock: Clock
  log: Logger
  nodeId: string
}

/** The back ends that are connected, or may come back: the published package for servers (docs/protocol.md, section 9). */
export class BackEndDirectory {
  readonly clients: ClientSockets<BackEndSession>
  readonly #options: BackEndDirectoryOptions
  readonly #methods: BackEndMethods
  readonly #elsewhere: SessionsElsewhere
  readonly #events: EventExchange
  readonly #moved: MovedClients<BackEndSession>
  readonly #leaveCluster: (() => void)[]
  /** Back ends without a socket, in the order in which they left, with the timers that forget them. */
  readonly #absent = new Map<BackEndSession, Timer>()
  #tokenCheck: Timer | null = null
  #catchingUp: Timer | null = null
  /** Version of the tokens at the last check. Undefined if the database cannot tell. */
  #checkedVersion: number | undefined

  constructor(options: BackEndDirectoryOptions) {
    this.#options = options
    this.clients = new ClientSockets(options.clock)
    const { registry, chat, cluster, keptSubscriptions, clock, log } = options
    const elsewhere = new SessionsElsewhere({ cluster, registry, clock, log })
    this.#elsewhere = elsewhere
    this.#events = new EventExchange({ cluster, watchers: registry.watchers, clock })
    this.#moved = new MovedClients({
      cluster,
      kind: 'back-ends',
      clients: this.clients,
      ownerOf: ({ token }) => token.id,
      drop: (client) => {
        keptSubscriptions.release(client)
        this.#drop(client)
      },
    })
    const onSubscribed = (client: BackEndSession) => this.#subscribed(client)
    this.#methods = new BackEndMethods({ registry, elsewhere, chat, onSubscribed })
    this.#leaveCluster = [
      cluster.messages.onGap(() => this.#catchUpSoon(0)),
      cluster.nodes.onGone(() => this.#catchUpSoon(SETTLED_MS)),
    ]
  }

  /** Whether this connect request comes from a back end. */
  static wants({ params }: RpcRequest): boolean {
    const { authentication } = params
    if (typeof authentication !== 'object' || authentication === null) return false
    // Browsers sign in with a JWT.
    return !('jwt_token' in authentication) && ('project' in authentication || 'token' in authentication)
  }

  connect(connection: Connection, request: RpcRequest): Promise<void> {
    return orRefuseSignIn(connection, request, () =>
      this.clients.connectOnce(connection, request, (isWaited) =>
        this.#connect(connection, request, isWaited),
      ),
    )
  }

  /** Serves a request of a back end that has connected. Answers, or throws. @throws Refusal */
  async serve(client: BackEndSession, connection: Connection, request: RpcRequest): Promise<void> {
    if (!this.#isChecked() && !(await this.#isCurrent(client))) {
      connection.replyError(request.id, ErrorCode.authentication, TOKEN_GONE)
      this.#expel(client)
      return
    }
    await this.#methods.serve(client, connection, request)
  }

  /** Handles a socket that is gone. Its client may come back to its subscriptions. */
  disconnected(connection: Connection): void {
    const client = this.clients.release(connection)
    if (!client?.detach(connection, () => this.#unwatch(client))) return
    const isOfUse = !client.subscriptions.isEmpty || this.#options.chat.isAnywhere(client.chat)
    if (!isOfUse) {
      this.#forget(client)
      return
    }
    // It may come back to another server. What is stored for it ends by its age.
    this.#options.keptSubscriptions.release(client)
    this.#absent.set(
      client,
      this.#options.clock.after(ABSENCE_MS, () => this.#drop(client)),
    )
    const ofProject = [...this.#absent.keys()].filter(({ projectId }) => projectId === client.projectId)
    for (const first of ofProject.slice(0, -ABSENT_MAX)) this.#forget(first)
  }

  /** Stops waiting for clients that may come back. Their subscriptions stay stored for the next start. */
  stop(): void {
    this.#tokenCheck?.cancel()
    this.#catchingUp?.cancel()
    for (const leave of this.#leaveCluster) leave()
    this.#events.stop()
    for (const timer of this.#absent.values()) timer.cancel()
    for (const client of this.clients.all()) {
      this.#unwatch(client)
      client.end()
    }
  }

  async #connect(connection: Connection, { id, params }: RpcRequest, isWaited: () => boolean): Promise<void> {
    if (!ConnectParams.Check(params)) {
      throw signInRefused('a project and its API token are needed.')
    }
    const { authentication, protocol = '' } = params
    const token = await this.#verify(connection, authentication)
    const secretHash = hashApiToken(authentication.token)
    const { keptSubscriptions, tokenGate, credentials } = this.#options
    const owner = { projectId: token.project_id, protocol, owner: token.id }
    const kept = this.clients.named(protocol) ? undefined : await keptSubscriptions.find(owner)
    if (!isWaited()) return
    const named = this.clients.named(protocol)
    const known = named && named.token.id === token.id && named.projectId === token.project_id ? named : null
    const place = { projectId: token.project_id, tokenId: token.id }
    tokenGate.admit(connection, place, { returning: known?.line.connection != null })
    credentials.noteUse(token)
    const client = known ?? this.#begin(token, secretHash, kept && protocol)
    client.token = token
    client.secretHash = secretHash
    this.#absent.get(client)?.cancel()
    this.#absent.delete(client)
    this.clients.assign(client, connection, client.attach(connection))
    this.#watchTokens()
    connection.authenticated(TERMS)
    connection.reply(id, this.#result(client))
    const { lostSome } = client.line.resend()
    if (kept && !known) client.subscriptions.restore(kept)
    if (!client.subscriptions.isEmpty) this.#subscribed(client)
    if (kept && !known) await this.#comesBack(client)
    else if (lostSome) await this.#catchUp(client)
  }

  /** @throws Refusal `sign_in_refused`, `wrong_token` */
  async #verify(
    connection: Connection,
    { project, token: secret }: { project: string; token: string },
  ): Promise<ShownApiToken> {
    const { credentials, tokenGate, isInItsSpace } = this.#options
    // The same text as in REST, so that both count the same guesses.
    const presented = `Basic ${Buffer.from(`${project}:${secret}`).toString('base64')}`
    const find = () => credentials.find(project, secret)
    return tokenGate.judged(connection, async () => {
      const token = await tokenGate.lookUp(connection, presented, find)
      if (!token) {
        throw signInRefused('the project or its API token is wrong.')
      }
      if (!(await isInItsSpace(connection, token.project_id))) throw outsideOfSpace()
      if (!USEFUL_SCOPES.some((scope) => token.scopes.includes(scope))) {
        const needed = USEFUL_SCOPES.join(', ')
        throw signInRefused(`the API token has none of the scopes ${needed}.`)
      }
      return token
    })
  }

  #begin(token: ShownApiToken, secretHash: string, protocolBefore: string | undefined): BackEndSession {
    const { key, clock } = this.#options
    const signature = createHmac('sha256', key).update(`back-end/${token.id}`).digest('hex').slice(0, 32)
    const protocol = protocolBefore ?? newProtocol(signature, token.project_id)
    return new BackEndSession({ protocol, signature, token, secretHash, clock })
  }

  #result(client: BackEndSession): object {
    const { projectId, token, scopeId, signature, protocol } = client
    return {
      identity: `${newId()}@${this.#options.nodeId}`,
      protocol,
      authorization: {
        type: 'video',
        project: projectId,
        project_id: projectId,
        scopes: token.scopes,
        scope_id: scopeId,
        resource: token.id,
        signature,
        // API tokens do not expire.
        expires_at: 0,
      },
      ice_servers: [],
    }
  }

  #subscribed(client: BackEndSession): void {
    const { keptSubscriptions } = this.#options
    this.#events.add(client)
    const { projectId, protocol, token, subscriptions } = client
    keptSubscriptions.keep({ projectId, protocol, owner: token.id, subscriptions: subscriptions.toRecord() })
  }

  #unwatch(client: BackEndSession): void {
    this.#events.remove(client)
  }

  #forget(client: BackEndSession): void {
    this.#drop(client)
    this.#options.keptSubscriptions.forget(client)
  }

  /** Forgets the client here. What is stored for it stays. */
  #drop(client: BackEndSession): void {
    this.#absent.get(client)?.cancel()
    this.#absent.delete(client)
    this.#unwatch(client)
    this.#options.chat.disconnected(client.chat)
    client.end()
    this.clients.forget(client)
  }

  /** The client's API token is gone, or works at another host. */
  #expel(client: BackEndSession): void {
    const { connection } = client.line
    connection?.close(1008, 'the API token is no longer valid')
    this.#forget(client)
  }

  /** The client was on another node, or on this one before a restart. What it knew of the sessions stayed there. */
  async #comesBack(client: BackEndSession): Promise<void> {
    client.line.hold()
    const { events } = await this.#moved.fetch({ protocol: client.protocol, owner: client.token.id })
    client.line.release(events)
    await this.#catchUp(client)
  }

  #catchUp(client: BackEndSession): Promise<void> {
    return client.catchUp(this.#options.registry.runningSessions(client.projectId), this.#elsewhere)
  }

  /** Events of other nodes may have been lost: with a node, or while this one was cut off. */
  #catchUpSoon(delayMs: number): void {
    this.#catchingUp?.cancel()
    const catchUp = async () => {
      for (const client of this.clients.all()) if (!client.subscriptions.isEmpty) await this.#catchUp(client)
    }
    this.#catchingUp = this.#options.clock.after(delayMs, () => {
      catchUp().catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'back ends may not know of sessions that ended'),
      )
    })
  }

  /** Whether no token can have changed since the last check. */
  #isChecked(): boolean {
    const version = this.#options.credentials.version()
    return version !== undefined && version === this.#checkedVersion
  }

  async #isCurrent({ token, secretHash, line, projectId }: BackEndSession): Promise<boolean> {
    const { credentials, isInItsSpace } = this.#options
    if (!(await credentials.isCurrent(token, secretHash))) return false
    return line.connection === null || (await isInItsSpace(line.connection, projectId))
  }

  /** Checks again and again that the tokens of back ends are still there, as long as there are any. */
  #watchTokens(): void {
    this.#tokenCheck ??= this.#options.clock.after(TOKEN_CHECK_MS, async () => {
      // Errors are those of the database. The next check tries again.
      await this.#checkTokens().catch(() => {})
      this.#tokenCheck = null
      if (this.clients.size > 0) this.#watchTokens()
    })
  }

  async #checkTokens(): Promise<void> {
    if (this.#isChecked()) return
    const version = this.#options.credentials.version()
    for (const client of this.clients.all()) if (!(await this.#isCurrent(client))) this.#expel(client)
    this.#checkedVersion = version
  }
}

const TOKEN_GONE = 'Authentication failed: the API token is no longer valid.'
