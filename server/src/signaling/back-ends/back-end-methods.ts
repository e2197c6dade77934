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
import { callAsProject } from '../room-methods/room-methods.ts'
import { roomSessionObject } from '../wire-objects.ts'
import type { BackEndSession } from './back-end-session.ts'
import { ROOMS_CHANNEL, sessionOfChannel } from './event-subscriptions.ts'

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

/** Methods that only read. Their names contain one of these verbs. */
const READS = /[._](get|list)(?:[._]|$)/

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
        return connection.reply(id, { ...OK, rooms: this.#running(client).map((one) => shown(client, one)) })
      case 'video.room.get':
        return connection.reply(id, { ...OK, room: shown(client, this.#sessionOf(client, request)) })
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
      if (wantsState && events.includes('video.room.started')) await client.describeStarted(running)
      return
    }
    const session = this.#find(client, sessionOfChannel(channel))
    const isFirst = client.subscriptions.addOfSession(session.id, events)
    client.noteKnown(session)
    this.#options.onSubscribed(client)
    connection.reply(id, OK)
    // A second one would make the client derive its events twice.
    if (wantsState && isFirst) client.describe(session)
  }

  async #callRoomMethod(client: BackEndSession, connection: Connection, request: RpcRequest): Promise<void> {
    let session: LiveSession | undefined
    await callAsProject(connection, request, () => {
      session = this.#sessionOf(client, request)
      const awaited = AWAITED.get(request.method)
      if (awaited) {
        // The client may have heard of the session by a list. Its description is then left for its own subscription.
        client.subscriptions.addOutputs(session.id, awaited)
        this.#options.onSubscribed(client)
      }
      return session
    })
    if (session && !READS.test(request.method)) noteAct(client, session, request)
  }

  #running(client: BackEndSession): LiveSession[] {
    return this.#options.registry.runningSessions(client.projectId)
  }

  #sessionOf(client: BackEndSession, { params }: RpcRequest): LiveSession {
    return this.#find(client, params.room_session_id)
  }

  /** @throws Refusal `provided_id_is_unrecognized` */
  #find({ projectId }: BackEndSession, id: unknown): LiveSession {
    const session = typeof id === 'string' && this.#options.registry.runningSession(projectId, id)
    if (session) return session
    throw new Refusal('provided_id_is_unrecognized', 'The project has no such room session in progress.')
  }
}

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

/** Writes into the history of the session that the project itself acted. */
function noteAct(client: BackEndSession, session: LiveSession, { method, params }: RpcRequest): void {
  const { member_id } = params
  session.writes.event('project.acted', {
    payload: {
      method,
      api_token_id: client.token.id,
      ...(typeof member_id === 'string' && { member_id: member_id.slice(0, 100) }),
    },
  })
}

function refuseUnserved(connection: Connection, { id, method }: RpcRequest): void {
  const message =
    `Not served here: ${method.slice(0, 100)}. ` +
    'This server has video rooms, chat and PubSub, and no phone calls, messages or tasks.'
  connection.replyError(id, ErrorCode.methodNotFound, message)
}
