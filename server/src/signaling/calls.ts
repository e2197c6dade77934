import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import { layoutWish } from '../rooms/sessions/layout-wish.ts'
import type { LiveSession } from '../rooms/sessions/live-session.ts'
import type { Member } from '../rooms/sessions/member.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import { TokenBucket } from '../token-bucket.ts'
import type { Connection } from './connection.ts'
import { CAUSE_OF_END } from './end-causes.ts'
import type { RequestId, RpcRequest } from './json-rpc.ts'
import { offersVideo } from './offered-video.ts'
import type { Call, SignalingSession } from './signaling-session.ts'

const CallId = Type.String({ minLength: 1, maxLength: 200 })
/** As many as a room token may give. */
const MOST_NAME_CHARACTERS = 100

const Dialog = Type.Object({
  callID: CallId,
  screenShare: Type.Optional(Type.Boolean()),
  additionalDevice: Type.Optional(Type.Boolean()),
  userVariables: Type.Optional(Type.Object({ memberCallId: Type.Optional(Type.String()) })),
  /** The published client writes here the option `callerName` of the call. */
  caller_id_name: Type.Optional(Type.Unknown()),
})
/** The media worker accepts no longer SDP. */
const Sdp = Type.String({ minLength: 1, maxLength: 64 * 1024 })

const Message = Type.Object({
  id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  method: Type.Optional(Type.String()),
  params: Type.Optional(Type.Object({})),
})
const OnCall = Type.Object({ dialogParams: Dialog })
/** `layout` and `positions` come with screen shares; {@link layoutWish} checks them. */
const Invite = Type.Object({
  dialogParams: Dialog,
  sdp: Sdp,
  layout: Type.Optional(Type.Unknown()),
  positions: Type.Optional(Type.Unknown()),
})
const Modify = Type.Object({ dialogParams: Dialog, action: Type.String(), sdp: Type.Optional(Sdp) })

/** Schemas of the parameters of call messages, by method. */
export const CALL_MESSAGES = {
  'verto.invite': Invite,
  'verto.bye': OnCall,
  'verto.modify': Modify,
  'verto.info': OnCall,
} as const

const messageCheck = Compile(Message)
const inviteCheck = Compile(Invite)
const modifyCheck = Compile(Modify)
const onCallCheck = Compile(OnCall)

/**
 * Limit for the offers of one call. Each offer costs the media worker one or more connections. A browser sends an offer
 * at the beginning, when devices change and when the network changes.
 */
const OFFER_BURST = 10
const OFFERS_PER_SECOND = 0.5

/** Key that serialises new main calls of a client. It cannot clash with a call id, because no call id is empty. */
const MAIN_CALL = ''

/**
 * Fingerprint of the certificate in an offer. Another fingerprint means another page (docs/protocol.md, section 3.6).
 */
function fingerprintOf(offer: string): string {
  const name = '\na=fingerprint:'
  const at = offer.indexOf(name)
  if (at < 0) return ''
  const start = at + name.length
  const end = offer.indexOf('\n', start)
  return offer.slice(start, end < 0 ? offer.length : end).trim()
}

/** One call message in progress: its sender, and how to answer it. */
interface Exchange {
  client: SignalingSession
  connection: Connection
  /** Id of the outer request. */
  requestId: RequestId
  /** Id of the message inside of the request. */
  messageId: RequestId
  params: object
}

export interface CallsOptions {
  registry: SessionRegistry
  clock: Clock
  /** `node_id` of everything this server sends. */
  nodeId: string
  /** Called when a client has hung up. */
  onIdle: (client: SignalingSession) => void
}

/** Handles the calls of clients: messages that arrive as `video.message` (docs/protocol.md, section 3). */
export class Calls {
  readonly #registry: SessionRegistry
  readonly #clock: Clock
  readonly #nodeId: string
  readonly #onIdle: (client: SignalingSession) => void

  constructor(options: CallsOptions) {
    this.#registry = options.registry
    this.#clock = options.clock
    this.#nodeId = options.nodeId
    this.#onIdle = options.onIdle
  }

  async message(client: SignalingSession, connection: Connection, request: RpcRequest): Promise<void> {
    const { message } = request.params
    if (!messageCheck.Check(message)) {
      throw new Refusal('invalid_parameter', 'Invalid params: message is needed.')
    }
    // A message without a method acknowledges a message of the server.
    if (message.method === undefined || message.method === 'verto.pong') {
      connection.reply(request.id, { code: '200', message: 'OK' })
      return
    }
    const exchange: Exchange = {
      client,
      connection,
      requestId: request.id,
      messageId: message.id ?? newId(),
      params: message.params ?? {},
    }
    await this.#handle(message.method, exchange)
  }

  #handle(method: string, exchange: Exchange): Promise<void> {
    switch (method) {
      case 'verto.invite':
        return this.#invite(exchange)
      case 'verto.bye':
        return this.#bye(exchange)
      case 'verto.modify':
        return this.#modify(exchange)
      case 'verto.info':
        return this.#info(exchange)
      default:
        throw new Refusal('invalid_parameter', `Unknown call message: ${method.slice(0, 100)}`)
    }
  }

  #invite(exchange: Exchange): Promise<void> {
    const { client, params } = exchange
    if (!inviteCheck.Check(params)) throw new Refusal('invalid_parameter', 'Invalid verto.invite.')
    const { dialogParams: dialog, sdp: offer } = params
    const callId = dialog.callID
    this.#countOffer(client, callId)
    client.forgetLostCall()
    return client.inOrder(callId, async () => {
      if (client.call(callId)) return this.#reattach(exchange, callId, offer)
      if (dialog.screenShare || dialog.additionalDevice) return this.#share(exchange, dialog, params)
      // New main calls run one after the other, so that a client never takes two seats.
      return client.inOrder(MAIN_CALL, () => this.#callMain(exchange, dialog, offer))
    })
  }

  /**
   * Counts an offer, before it queues behind earlier requests of its call.
   * @throws Refusal `rate_limit_exceeded`; the call goes on as it was
   */
  #countOffer(client: SignalingSession, callId: string): void {
    const now = this.#clock.now()
    if (client.offers.take(now) && (client.call(callId)?.offers.take(now) ?? true)) return
    const message = 'Too many offers. The call goes on as it was; offer again in a few seconds.'
    throw new Refusal('rate_limit_exceeded', message)
  }

  #callMain(exchange: Exchange, dialog: Static<typeof Dialog>, offer: string): Promise<void> {
    const { callID: callId } = dialog
    const call = exchange.client.mainCall
    const isExpected = call?.session.roles.expectsCall(call.member) ?? false
    return call && isExpected
      ? this.#follow(exchange, call, callId, offer)
      : this.#join(exchange, dialog, offer)
  }

  /** The client was promoted or demoted: the new call takes the place of the old one, in the same seat. */
  #follow(exchange: Exchange, { callId: before, member, session }: Call, callId: string, offer: string) {
    const { onAnswered, ...leg } = this.#leg(exchange, callId, offer)
    return session.roles.follow({
      member,
      ...leg,
      onAnswered: (answer) => {
        exchange.client.removeCall(before)
        onAnswered(answer, member, session)
      },
    })
  }

  async #join(exchange: Exchange, dialog: Static<typeof Dialog>, offer: string): Promise<void> {
    const { client } = exchange
    const { claims: grant } = client
    // A token that names somebody decides.
    const name = grant.user_name ?? callerName(dialog.caller_id_name) ?? client.userName
    if (grant.expires_at <= this.#clock.now()) {
      throw new Refusal('too_late', 'The token has expired. Ask for a new one.')
    }
    this.#hangUpBefore(client)
    const leg = this.#leg(exchange, dialog.callID, offer)
    await this.#registry.join({ grant, name, participant: client, ...leg })
  }

  async #share(
    exchange: Exchange,
    dialog: Static<typeof Dialog>,
    invite: Static<typeof Invite>,
  ): Promise<void> {
    const type = dialog.screenShare ? 'screen' : 'device'
    const parent = this.#parentFor(exchange.client, type, dialog.userVariables?.memberCallId)
    const leg = this.#leg(exchange, dialog.callID, invite.sdp)
    const sendsVideo = type === 'screen' || offersVideo(invite.sdp)
    const wish = type === 'screen' ? layoutWish(invite, parent.member.terms.permissions) : {}
    await parent.session.joins.addChild({ parent: parent.member, type, sendsVideo, wish, ...leg })
  }

  /** Parts of every new leg: its id, its offer, and what to do once it is answered. */
  #leg(exchange: Exchange, callId: string, offer: string) {
    const { client } = exchange
    const legId = newId()
    const onAnswered = (answer: string, member: Member, session: LiveSession) => {
      client.addCall({
        callId,
        legId,
        session,
        member,
        fingerprint: fingerprintOf(offer),
        tokenId: client.claims.id,
        offers: new TokenBucket(OFFER_BURST, OFFERS_PER_SECOND),
      })
      this.#created(exchange, callId, answer)
      if (member.isMain) client.sendAuthorizationState()
    }
    return { legId, offer, onAnswered }
  }

  /** Renegotiates a call that exists: the page was reloaded, or its socket dropped and it restarts ICE. */
  async #reattach(exchange: Exchange, callId: string, offer: string): Promise<void> {
    const { client } = exchange
    const call = client.call(callId)!
    const answer = await call.session.renegotiate(call.legId, offer)
    this.#created(exchange, callId, answer)
    if (!call.member.isMain) return
    const fingerprint = fingerprintOf(offer)
    const isNewPage = fingerprint !== call.fingerprint
    if (isNewPage) this.#begunAnew(client, call)
    call.fingerprint = fingerprint
    call.session.presence.greetAgain(call.legId)
    if (isNewPage) call.session.roles.tell(call.member)
  }

  /** The page that had the screen shares and devices, and that knew of a hold, is gone. */
  #begunAnew(client: SignalingSession, call: Call): void {
    for (const { member, session } of client.calls)
      if (!member.isMain) session.departures.leave(member, 'parent_left')
    // The new page may be gone too before this is done.
    call.session.changes.change(call.member, { held: false }).catch(() => {})
  }

  /** Sends the result of the invite first, then the answer. The client needs this order. */
  #created(exchange: Exchange, callId: string, answer: string): void {
    this.#answer(exchange, { message: 'CALL CREATED', callID: callId })
    exchange.client.sendVerto('verto.answer', { callID: callId, sdp: answer })
  }

  /**
   * Ends the client's old call, because a client has one seat. A new call without a hang-up means that the client has
   * lost the old one.
   */
  #hangUpBefore(client: SignalingSession): void {
    const call = client.mainCall
    if (call) call.session.departures.leave(call.member, 'replaced')
  }

  #parentFor(client: SignalingSession, type: 'screen' | 'device', memberCallId: string | undefined) {
    const parent = memberCallId === undefined ? client.mainCall : client.call(memberCallId)
    if (!parent?.member.isMain) {
      throw new Refusal(
        'provided_id_is_unrecognized',
        'The call that this device belongs to is not in the session.',
      )
    }
    const permission = type === 'screen' ? 'room.self.screenshare' : 'room.self.additional_source'
    if (!parent.member.terms.permissions.has(permission)) {
      throw new Refusal('not_permitted', `Permission denied: ${permission}`)
    }
    return parent
  }

  #bye(exchange: Exchange): Promise<void> {
    const { client, params } = exchange
    const callId = this.#callIdOf(params)
    return client.inOrder(callId, async () => {
      const call = client.call(callId)
      exchange.connection.callEnds()
      this.#answer(exchange, { message: 'CALL ENDED', callID: callId, ...CAUSE_OF_END.session_ended })
      if (!call) return
      client.removeCall(callId)
      call.session.departures.hangUp(call.legId)
      this.#onIdle(client)
    })
  }

  #modify(exchange: Exchange): Promise<void> {
    const { client, params } = exchange
    if (!modifyCheck.Check(params)) throw new Refusal('invalid_parameter', 'Invalid verto.modify.')
    const { dialogParams, action, sdp } = params
    const callId = dialogParams.callID
    if (sdp !== undefined) this.#countOffer(client, callId)
    return client.inOrder(callId, async () => {
      const call = client.call(callId)
      if (!call) throw new Refusal('provided_id_is_unrecognized', 'There is no such call.')
      const { session, member } = call
      const holdState = () => (member.held ? 'held' : 'active')
      if (action === 'hold' || action === 'unhold') {
        await session.changes.change(member, { held: action === 'hold' }, () =>
          this.#answer(exchange, { action, callID: callId, holdState: holdState() }),
        )
        return
      }
      if (action !== 'updateMedia' || sdp === undefined) {
        throw new Refusal('invalid_parameter', 'verto.modify takes hold, unhold, or updateMedia with sdp.')
      }
      const answer = await session.renegotiate(call.legId, sdp)
      this.#answer(exchange, { action, callID: callId, holdState: holdState(), sdp: answer })
    })
  }

  async #info(exchange: Exchange): Promise<void> {
    const callId = this.#callIdOf(exchange.params)
    if (!exchange.client.call(callId))
      throw new Refusal('provided_id_is_unrecognized', 'There is no such call.')
    this.#answer(exchange, { message: 'SENT', callID: callId })
  }

  #callIdOf(params: object): string {
    if (!onCallCheck.Check(params)) throw new Refusal('invalid_parameter', 'dialogParams.callID is needed.')
    return params.dialogParams.callID
  }

  #answer({ connection, requestId, messageId }: Exchange, result: object): void {
    connection.reply(requestId, {
      code: '200',
      message: 'OK',
      node_id: this.#nodeId,
      result: { jsonrpc: '2.0', id: messageId, result },
    })
  }
}

/** What a client calls its user, on one line; null where it gives no name. */
function callerName(given: unknown): string | null {
  if (typeof given !== 'string') return null
  const name = given.replace(/[\p{Cc}\p{Cs}\s]+/gu, ' ').trim()
  return name === '' ? null : [...name].slice(0, MOST_NAME_CHARACTERS).join('')
}
