import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock, Timer } from '../clock.ts'
import { newId } from '../ids.ts'
import type { RoomTokenClaims } from '../rooms/room-token.ts'
import type { LiveSession } from '../rooms/sessions/live-session.ts'
import type { Member } from '../rooms/sessions/member.ts'
import type { MemberRole } from '../rooms/sessions/member-role.ts'
import type { ClientIdentity, EndCause, Participant, SessionEvent } from '../rooms/sessions/participant.ts'
import type { RoomRecord } from '../storage/records.ts'
import { TokenBucket } from '../token-bucket.ts'
import { authorizationObject } from './authorization.ts'
import { ClientLine } from './client-line.ts'
import type { Connection } from './connection.ts'
import { CAUSE_OF_END } from './end-causes.ts'
import { outgoingEvent } from './json-rpc.ts'
import { encodedEvent } from './wire-events.ts'
import { eventChannel } from './wire-objects.ts'

/** One call of a client, from its answer to its end. */
export interface Call {
  /** Call id that the client chose. */
  callId: string
  /** Id that the server chose. The client's call id is not safe to use: it could be the id of somebody else's call. */
  legId: string
  session: LiveSession
  member: Member
  /** Fingerprint of the certificate that the browser offered last. */
  fingerprint: string
  /** Id of the token that the call was made with. */
  tokenId: string
  /** Limits how often the call is negotiated. */
  offers: TokenBucket
}

export interface SignalingSessionOptions {
  protocol: string
  signature: string
  claims: RoomTokenClaims
  clock: Clock
  /** `node_id` of everything this server sends. */
  nodeId: string
  /** Called when the server has ended the last call of a client whose socket is gone. */
  onAbandoned: (client: SignalingSession) => void
}

/**
 * How long a client that came back may take to ask for its lost call again. A reloaded page asks once it has its
 * camera. A page that was not reloaded does not ask, and learns after this time that its call is over.
 */
const LOST_CALL_GRACE_MS = 12_000

/**
 * What was sent this long before the client was last heard may be lost too: its last frame may have been under way
 * already. A client that is told twice is not harmed.
 */
const UNDER_WAY_MS = 5000

/** Offers of one client, for all its calls together. */
const OFFER_BURST = 20
const OFFERS_PER_SECOND = 1

/** State that a client presents after a reload or a dropped socket. */
export interface AuthorizationState {
  /** Proves that the server gave this state to this client. */
  secret: string
  /** The call that the client was in. */
  callId: string | null
}

/**
 * A client as the server knows it, for longer than one socket. It is found by its `protocol`, and has at most one
 * connection at a time, and its calls (docs/protocol.md, section 2.2).
 */
export class SignalingSession implements Participant {
  readonly protocol: string
  readonly signature: string
  readonly scopeId = newId()
  readonly userName: string
  claims: RoomTokenClaims
  /** Limits how often the client's calls are negotiated. The limit holds across sockets. */
  readonly offers: TokenBucket
  readonly #clock: Clock
  readonly #nodeId: string
  readonly #onAbandoned: (client: SignalingSession) => void
  readonly #secret = randomBytes(16).toString('base64url')
  readonly #channel = `CC_${newId()}`
  /** Keyed by the client's own call id. */
  readonly #calls = new Map<string, Call>()
  /**
   * The last request for each call. An answer, a new offer and a hang-up wait for it, so that they keep their order.
   */
  readonly #callWork = new Map<string, Promise<unknown>>()
  /** Events that the client may have missed are sent again when it comes back. */
  readonly line = new ClientLine()
  /** URL where the client reached this server last. */
  #origin = ''
  #browserId: string | null = null
  /** When the client was last heard over a socket that it has no more, on the monotonic clock. */
  #heardAtMs: number
  #lostCall: { callId: string; timer: Timer } | null = null

  constructor(options: SignalingSessionOptions) {
    this.protocol = options.protocol
    this.signature = options.signature
    this.claims = options.claims
    this.userName = options.claims.user_name ?? randomName()
    this.#clock = options.clock
    this.#heardAtMs = options.clock.monotonicMs()
    this.offers = new TokenBucket(OFFER_BURST, OFFERS_PER_SECOND)
    this.#nodeId = options.nodeId
    this.#onAbandoned = options.onAbandoned
  }

  get connection(): Connection | null {
    return this.line.connection
  }

  get connected(): boolean {
    return this.line.connection !== null
  }

  get identity(): ClientIdentity {
    return { clientId: this.protocol, browserId: this.#browserId }
  }

  get isInCall(): boolean {
    return this.#calls.size > 0
  }

  /** The call of the member itself, not of a screen share or a device. */
  get mainCall(): Call | undefined {
    return [...this.#calls.values()].find((call) => call.member.isMain)
  }

  get calls(): readonly Call[] {
    return [...this.#calls.values()]
  }

  /** Sessions that this client has a call in. */
  get sessions(): Set<LiveSession> {
    return new Set([...this.#calls.values()].map((call) => call.session))
  }

  /** Whether this state carries the secret that this session gave to its client. */
  isMine(state: AuthorizationState | null): boolean {
    const [theirs, ours] = [Buffer.from(state?.secret ?? ''), Buffer.from(this.#secret)]
    return theirs.length === ours.length && timingSafeEqual(theirs, ours)
  }

  /**
   * Uses this socket from now on.
   * @param browserId see {@link ClientIdentity}
   * @returns the previous socket, still open
   */
  attach(connection: Connection, browserId: string | null): Connection | null {
    this.#origin = `https://${connection.peer.host}`
    this.#browserId = browserId
    const before = this.line.attach(connection)
    if (before) this.#heardAtMs = before.heardAtMs
    return before
  }

  /** Forgets a socket that is gone. @returns whether it was the one in use */
  detach(connection: Connection): boolean {
    if (!this.line.detach(connection)) return false
    this.#heardAtMs = connection.heardAtMs
    this.forgetLostCall()
    return true
  }

  /** The client came back: since how long it may have missed something that was not kept for it. */
  get awayMs(): number {
    return this.#clock.monotonicMs() - this.#heardAtMs + UNDER_WAY_MS
  }

  call(callId: string): Call | undefined {
    return this.#calls.get(callId)
  }

  callWithLeg(legId: string): Call | undefined {
    return [...this.#calls.values()].find((call) => call.legId === legId)
  }

  addCall(call: Call): void {
    this.#calls.set(call.callId, call)
  }

  removeCall(callId: string): void {
    this.#calls.delete(callId)
  }

  /** Runs `work` after the earlier requests for the same call. */
  inOrder<T>(callId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#callWork.get(callId) ?? Promise.resolve()
    const result = before.then(work)
    const settled = result
      .catch(() => {})
      .finally(() => {
        if (this.#callWork.get(callId) === settled) this.#callWork.delete(callId)
      })
    this.#callWork.set(callId, settled)
    return result
  }

  notify(event: SessionEvent): void {
    const receiver = {
      origin: this.#origin,
      callIdOf: (legId: string) => this.callWithLeg(legId)?.callId,
      authorizationIn: (room: RoomRecord, role: MemberRole | null) =>
        authorizationObject(this.claims, room, this, role),
    }
    this.line.send(encodedEvent(event, receiver, this.#clock.now()))
  }

  legEnded(legId: string, cause: EndCause): void {
    const call = this.callWithLeg(legId)
    if (!call) return
    this.#calls.delete(call.callId)
    this.sendBye(call.callId, cause)
    if (!this.connected && !this.isInCall) this.#onAbandoned(this)
  }

  /**
   * The client came back with a call that no longer exists: it ended while the client had no socket, or the server was
   * restarted. The page's next request shows whether it still believes in the call.
   */
  expectLostCall(callId: string): void {
    this.#lostCall?.timer.cancel()
    const timer = this.#clock.after(LOST_CALL_GRACE_MS, () => this.endLostCall())
    this.#lostCall = { callId, timer }
  }

  /** The page begins a new call, so it has no call from before. */
  forgetLostCall(): void {
    this.#lostCall?.timer.cancel()
    this.#lostCall = null
  }

  /** Tells the page that its lost call is over, because the page acts as if it were still in it. */
  endLostCall(): void {
    const callId = this.#lostCall?.callId
    this.forgetLostCall()
    if (callId !== undefined) this.sendBye(callId, 'connection_lost')
  }

  cameraWanted(legId: string, wanted: { width: number; height: number; frameRate: number }): void {
    const call = this.callWithLeg(legId)
    if (call) this.sendVerto('verto.mediaParams', { callID: call.callId, mediaParams: { video: wanted } })
  }

  sendBye(callId: string, cause: EndCause): void {
    this.connection?.callEnds()
    this.sendVerto('verto.bye', { callID: callId, ...CAUSE_OF_END[cause] })
  }

  /** Tells the page at the present socket that another page takes its place. The other page must not get this. */
  sendReplaced(): void {
    this.connection?.callEnds()
    for (const call of this.calls) {
      const bye = { callID: call.callId, ...CAUSE_OF_END.replaced }
      this.line.sendOnce(this.#vertoEvent('verto.bye', bye))
    }
  }

  /** A call message (docs/protocol.md, section 3.1). */
  sendVerto(method: string, params: { callID: string; [field: string]: unknown }): void {
    this.line.send(this.#vertoEvent(method, params))
  }

  #vertoEvent(method: string, params: { callID: string; [field: string]: unknown }) {
    const message = { jsonrpc: '2.0', id: newId(), method, params }
    const session = this.#calls.get(params.callID)?.session
    return outgoingEvent('webrtc.message', message, {
      channel: session ? eventChannel(session) : this.#channel,
      at: this.#clock.now(),
      nodeId: this.#nodeId,
      projectId: this.claims.project_id,
    })
  }

  /** Sends the opaque blob that the client presents when it comes back. */
  sendAuthorizationState(): void {
    const state: AuthorizationState = { secret: this.#secret, callId: this.mainCall?.callId ?? null }
    const authorization_state = Buffer.from(JSON.stringify(state)).toString('base64url')
    this.line.sendOnce(
      outgoingEvent(
        'signalwire.authorization.state',
        { authorization_state },
        { channel: this.#channel, at: this.#clock.now() },
      ),
    )
  }
}

/** Reads what {@link SignalingSession.sendAuthorizationState} sent; null for anything else. */
export function readAuthorizationState(blob: unknown): AuthorizationState | null {
  if (typeof blob !== 'string' || blob.length > 2000) return null
  try {
    const { secret, callId } = JSON.parse(Buffer.from(blob, 'base64url').toString()) as Partial<
      Record<keyof AuthorizationState, unknown>
    >
    if (typeof secret !== 'string') return null
    return { secret, callId: typeof callId === 'string' ? callId : null }
  } catch {
    return null
  }
}

/** For tokens without a user name: eight letters and digits. */
function randomName(): string {
  return [...randomBytes(8)].map((byte) => (byte % 36).toString(36)).join('')
}
