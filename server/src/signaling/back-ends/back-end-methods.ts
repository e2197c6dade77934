import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Chat } from '../../chat/chat.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { Scope } from '../../projects/scopes.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { SessionRegistry } from '../../rooms/sessions/session-registry.ts'
import { CHAT_METHODS } from '../chat/chat-methods.ts'
import type { Connection } from '../connection.ts'
import { ErrorCode, type RpcRequest } from '../json-rpc.ts'
import { roomSessionObject } from '../wire-objects.ts'
import type { BackEndSession } from './back-end-session.ts'
import { callForProject } from './call-for-project.ts'
import { ROOMS_CHANNEL, sessionOfChannel } from './event-subscriptions.ts'
import type { RunningElsewhere, SessionsElsewhere } from './sessions-elsewhere.ts'

const Subscribe = Compile(
  Type.Object({
    event_channel: Type.String({ minLength: 1, maxLength: 200 }),
    events: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
    get_initial_state: Type.Optional(Type.Boolean()),
  }),
)

/** Scopes of API tokens, one of which the methods below a prefix need. */
const SCOPES: ReadonlyMap<string, readonly Scope[]> = new Map<string, readonly Scope[]>([
  ['video', ['video']],
  ['signalwire', ['video']],
  ['chat', ['chat', 'pubsub']],
])

/** Methods of the same client for services that this server does not have. */
const UNSERVED = /^(calling|messaging|tasking|task|voice|signalwire)\./

/**
 * Methods that start something whose events the client awaits. It does not ask for these events, so the call itself
 * does.
 */
const AWAITED: ReadonlyMap<string, readonly string[]> = new Map(
  ['recording', 'playback', 'stream'].map((kind) => [
    `video.${kind}.start`,
    ['started', 'updated', 'ended'].map((change) => `video.${kind}.${change}`),
  ]),
)

export interface BackEndMethodsOptions {
  registry: Pick<SessionRegistry, 'runningSession' | 'runningSessions'>
  elsewhere: SessionsElsewhere
  chat: Chat
  /** The client's subscriptions have changed. */
  onSubscribed: (client: BackEndSession) => void
}

/** The methods that back ends call (docs/protocol.md, section 9). */
export class BackEndMethods {
  readonly #options: BackEndMethodsOptions

  constructor(options: BackEndMethodsOptions) {
    this.#options = options
  }

  /** Answers a request, or throws. @throws Refusal */
  async serve(client: BackEndSession, connection: Connection, request: RpcRequest): Promise<void> {
    const { id, method } = request
    const [family = ''] = method.split('.', 1)
    if (method === 'signalwire.subscribe' || (family !== 'signalwire' && SCOPES.has(family))) {
      checkScope(client, family)
    }
    switch (method) {
      case 'signalwire.subscribe':
        return this.#subscribe(client, connection, request)
      case 'video.rooms.get':
        return connection.reply(id, { ...OK, rooms: await this.#rooms(client) })
      case 'video.room.get':
        return connection.reply(id, { ...OK, room: await this.#room(client, request) })
    }
    const chatMethod = CHAT_METHODS.get(method)
    if (chatMethod) {
      const fields = await chatMethod.call(this.#options.chat, client.chat, request.params)
      return connection.reply(id, { ...OK, ...fields })
    }
    if (UNSERVED.test(method)) return refuseUnserved(connection, request)
    return this.#callRoomMethod(client, connection, request)
  }

  /**
   * @throws Refusal `provided_id_is_unrecognized` for the channel of no running session of the project,
   * `invalid_parameter`
   */
  async #subscribe(
    client: BackEndSession,
    connection: Connection,
    { id, params }: RpcRequest,
  ): Promise<void> {
    if (!Subscribe.Check(params)) {
      const message = 'Invalid params: event_channel, a string, and events, a list of names, are needed.'
      throw new Refusal('invalid_parameter', message)
    }
    const { event_channel: channel, events, get_initial_state: wantsState = false } = params
    if (channel === ROOMS_CHANNEL) {
      const running = this.#running(client)
      client.subscriptions.addOfRooms(events)
      this.#options.onSubscribed(client)
      connection.reply(id, OK)
      if (wantsState && events.includes('video.room.started')) await this.#describeStarted(client, running)
      return
    }
    const sessionId = sessionOfChannel(channel)
    const session = await this.#findAnywhere(client, sessionId)
    const isFirst = client.subscriptions.addOfSession(session.id, events)
    client.noteKnown(session)
    this.#options.onSubscribed(client)
    connection.reply(id, OK)
    // A second one would make the client derive its events twice.
    if (!wantsState || !isFirst) return
    if (!('node' in session)) return client.describe(session)
    for (const event of await this.#options.elsewhere.describe(client.projectId, [session], 'whole')) {
      client.describeElsewhere(event)
    }
  }

  async #describeStarted(client: BackEndSession, running: readonly LiveSession[]): Promise<void> {
    const { elsewhere } = this.#options
    await client.describeStarted(running)
    const { sessions } = await elsewhere.list(client.projectId)
    for (const event of await elsewhere.describe(client.projectId, sessions, 'started')) {
      client.eventElsewhere(event)
    }
  }

  async #callRoomMethod(client: BackEndSession, connection: Connection, request: RpcRequest): Promise<void> {
    const { elsewhere } = this.#options
    const { projectId, token } = client
    const { room_session_id: sessionId } = request.params
    const isHere = this.#findHere(client, sessionId) !== undefined
    const node = isHere ? null : await elsewhere.nodeOf(projectId, sessionId)
    if (node === null) {
      const find = () => {
        const session = this.#find(client, sessionId)
        this.#await(client, session.id, request)
        return session
      }
      return callForProject(connection, request, { find, tokenId: token.id })
    }
    this.#await(client, String(sessionId), request)
    const called = { projectId, sessionId: String(sessionId), tokenId: token.id, request }
    const answer = await elsewhere.call(node, called)
    if ('result' in answer) connection.reply(request.id, answer.result)
    else connection.replyError(request.id, answer.error.code, answer.error.message)
  }

  /** The client may have heard of the session by a list. Its description is then left for its own subscription. */
  #await(client: BackEndSession, sessionId: string, { method }: RpcRequest): void {
    const awaited = AWAITED.get(method)
    if (!awaited) return
    client.subscriptions.addOutputs(sessionId, awaited)
    this.#options.onSubscribed(client)
  }

  async #rooms(client: BackEndSession): Promise<object[]> {
    const { elsewhere } = this.#options
    const here = this.#running(client).map((session) => shown(client, session))
    const { sessions } = await elsewhere.list(client.projectId)
    return [...here, ...(await elsewhere.rooms(client.projectId, sessions, client.origin))]
  }

  async #room(client: BackEndSession, { params }: RpcRequest): Promise<object> {
    const session = await this.#findAnywhere(client, params.room_session_id)
    if (!('node' in session)) return shown(client, session)
    const [room] = await this.#options.elsewhere.rooms(client.projectId, [session], client.origin)
    if (!room) throw noSuchSession()
    return room
  }

  #running(client: BackEndSession): LiveSession[] {
    return this.#options.registry.runningSessions(client.projectId)
  }

  #findHere({ projectId }: BackEndSession, id: unknown): LiveSession | undefined {
    return typeof id === 'string' ? this.#options.registry.runningSession(projectId, id) : undefined
  }

  /** @throws Refusal `provided_id_is_unrecognized` */
  #find(client: BackEndSession, id: unknown): LiveSession {
    const session = this.#findHere(client, id)
    if (!session) throw noSuchSession()
    return session
  }

  /** @throws Refusal `provided_id_is_unrecognized` */
  async #findAnywhere(client: BackEndSession, id: unknown): Promise<LiveSession | RunningElsewhere> {
    const here = this.#findHere(client, id)
    if (here) return here
    const found = await this.#options.elsewhere.find(client.projectId, id)
    if (!found) throw noSuchSession()
    return found
  }
}

const noSuchSession = () =>
  new Refusal('provided_id_is_unrecognized', 'The project has no such room session in progress.')

const OK = { code: '200', message: 'OK' }

const shown = ({ origin }: BackEndSession, session: LiveSession) => roomSessionObject(session, origin)

/** @throws Refusal `not_permitted` when the API token lacks the scope */
function checkScope({ token }: BackEndSession, family: string): void {
  const scopes = SCOPES.get(family) ?? []
  if (scopes.some((scope) => token.scopes.includes(scope))) return
  throw new Refusal(
    'not_permitted',
    `Permission denied: the API token lacks the scope ${scopes.join(' or ')}.`,
  )
}

function refuseUnserved(connection: Connection, { id, method }: RpcRequest): void {
  const message =
    `Not served here: ${method.slice(0, 100)}. ` +
    'This server has video rooms, chat and PubSub, and no phone calls, messages or tasks.'
  connection.replyError(id, ErrorCode.methodNotFound, message)
}
