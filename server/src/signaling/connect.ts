import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { ConferenceTokens } from '../rooms/conference-tokens.ts'
import { asAudience, readPresented } from '../rooms/presented-token.ts'
import type { RoomTokenClaims } from '../rooms/room-token.ts'
import type { ClientIdentity } from '../rooms/sessions/participant.ts'
import type { NamedRoom } from '../rooms/sessions/room-owners.ts'
import type { SessionRegistry } from '../rooms/sessions/session-registry.ts'
import { isGoodPass } from '../rooms/waiting-room/waiting-pass.ts'
import { CONFERENCE_TOKEN_PREFIX } from '../secrets/conference-token-secret.ts'
import type { RoomRecord } from '../storage/records.ts'
import type { IceServers } from '../turn/ice-servers.ts'
import {
  authenticate,
  authenticateToConference,
  authorizationObject,
  expiredToken,
  newProtocol,
  outsideOfSpace,
  signatureOf,
  signInRefused,
} from './authorization.ts'
import { ClientSockets } from './client-sockets.ts'
import { type Connection, SERVICE_RESTART } from './connection.ts'
import { ErrorCode, type RpcRequest } from './json-rpc.ts'
import type { RoomHosts } from './pipes/room-hosts.ts'
import { type AuthorizationState, readAuthorizationState, SignalingSession } from './signaling-session.ts'
import type { TokenGate } from './token-gate.ts'

const ConnectParams = Compile(
  Type.Object({
    authentication: Type.Object({ jwt_token: Type.String() }),
    protocol: Type.Optional(Type.String({ maxLength: 500 })),
    authorization_state: Type.Optional(Type.String()),
  }),
)
const ReauthenticateParams = Compile(
  Type.Object({ authentication: Type.Object({ jwt_token: Type.String() }) }),
)

export interface ConnectOptions {
  registry: SessionRegistry
  /** Where the rooms are; null for a server without a cluster, which has all of them. */
  hosts: RoomHosts | null
  clock: Clock
  /** Key of the room tokens. */
  tokenKey: Uint8Array
  conferenceTokens: Pick<ConferenceTokens, 'redeem'>
  tokenGate: TokenGate
  /** Whether the tokens of a project work at the host that a client connected to. */
  isInItsSpace(connection: Connection, projectId: string): boolean | Promise<boolean>
  /** Id of the browser in which a client on the server's own page runs; null for other clients. */
  browserIdOf(connection: Connection): string | null
  nodeId: string
  iceServers: IceServers
}

/** Clients that are connected, or were a moment ago. Handles `signalwire.connect` and `signalwire.reauthenticate`. */
export class ClientDirectory {
  readonly clients: ClientSockets<SignalingSession>
  readonly #options: ConnectOptions

  constructor(options: ConnectOptions) {
    this.#options = options
    this.clients = new ClientSockets(options.clock)
  }

  connect(connection: Connection, request: RpcRequest): Promise<void> {
    return this.#orRefuse(connection, request, () =>
      this.clients.connectOnce(connection, request, (isWaited) =>
        this.#connect(connection, request, isWaited),
      ),
    )
  }

  async #connect(connection: Connection, request: RpcRequest, isWaited: () => boolean): Promise<void> {
    const { id, params } = request
    if (!ConnectParams.Check(params)) {
      connection.replyError(
        id,
        ErrorCode.invalidParams,
        'Invalid params: authentication.jwt_token is needed.',
      )
      return
    }
    const { authentication, protocol = '', authorization_state } = params
    const state = readAuthorizationState(authorization_state)
    const known = this.clients.named(protocol)
    const claims = await this.#verify(
      connection,
      authentication.jwt_token,
      (expired) => this.#isKnown(known, expired, state) || this.#options.hosts !== null,
    )
    if (await this.#isPassedOn(connection, request, claims, isWaited)) return
    if (this.#isExpired(claims) && !this.#isKnown(known, claims, state)) throw expiredToken()
    const resumed = known && isSameUser(known, claims, state) ? known : null
    await this.#reserve(claims)
    const identity = { clientId: protocol, browserId: this.#options.browserIdOf(connection) }
    const room = await this.#roomFor(claims, resumed, identity)
    if (!isWaited()) return
    // The client's call may have ended in the meantime.
    if (this.#isExpired(claims) && !resumed?.mainCall) throw expiredToken()
    this.#checkRenewal(resumed, claims)
    this.#options.tokenGate.admit(connection, placeOf(claims), { returning: resumed !== null })
    if (resumed) this.#resume(resumed, connection, claims)
    const client = resumed ?? this.#begin(connection, claims)
    connection.authenticated()
    connection.reply(id, this.#result(client, room))
    client.sendAuthorizationState()
    this.#catchUp(client, state)
  }

  #isKnown(
    client: SignalingSession | undefined,
    claims: RoomTokenClaims,
    state: AuthorizationState | null,
  ): boolean {
    return client !== undefined && isResumeOfItsCall(client, claims, state)
  }

  /** Passes the socket on to the node that has the room. Who has an expired token may only come back. */
  async #isPassedOn(
    connection: Connection,
    request: RpcRequest,
    claims: RoomTokenClaims,
    isWaited: () => boolean,
  ): Promise<boolean> {
    const { hosts, tokenGate, browserIdOf } = this.#options
    if (!hosts || connection.peer.isPassedOn) return false
    tokenGate.admit(connection, placeOf(claims), { returning: true })
    const { address, askedHost, host } = connection.peer
    const peer = { address, askedHost, host, browserId: browserIdOf(connection) }
    const mayBegin = !this.#isExpired(claims)
    return hosts.passOn(connection, request, roomOf(claims), { mayBegin, peer, isWaited })
  }

  /** In a cluster: owns the room for a client that is about to be here. @throws Refusal `unavailable` */
  async #reserve(claims: RoomTokenClaims): Promise<void> {
    const { hosts, registry } = this.#options
    if (hosts && !(await hosts.isHere(registry.owners.reserve(roomOf(claims))))) {
      throw new Refusal('unavailable', 'The room is on another server. Connect again.')
    }
  }

  /** This node does not have the room any more. Its clients come again, to the node that has it then. */
  roomLost(room: NamedRoom): void {
    for (const client of this.clients.all()) {
      const { project_id, name } = roomOf(client.claims)
      if (project_id !== room.project_id || name !== room.name) continue
      client.connection?.close(SERVICE_RESTART, 'the room is on another server')
    }
  }

  async reauthenticate(client: SignalingSession, connection: Connection, request: RpcRequest): Promise<void> {
    const { id, params } = request
    if (!ReauthenticateParams.Check(params)) {
      connection.replyError(
        id,
        ErrorCode.invalidParams,
        'Invalid params: authentication.jwt_token is needed.',
      )
      return
    }
    await this.#orRefuse(connection, request, async () => {
      const claims = await this.#verify(connection, params.authentication.jwt_token, () => false)
      if (!isSameRoom(client.claims, claims)) {
        throw signInRefused('the new token is for another room.')
      }
      const room = await this.#roomFor(claims, client, client.identity)
      this.#checkRenewal(client, claims)
      this.#renew(client, claims)
      connection.reply(id, this.#result(client, room))
    })
  }

  /** Handles a socket that is gone. The client's members keep their seats for the grace. */
  disconnected(connection: Connection): void {
    const client = this.clients.release(connection)
    if (!client?.detach(connection)) return
    for (const session of client.sessions) session.presence.lost(client)
    this.forgetIfIdle(client)
  }

  /** Forgets a client without socket and calls: it has nothing to come back to. */
  forgetIfIdle(client: SignalingSession): void {
    if (client.connected || client.isInCall) return
    this.clients.forget(client)
    if (this.#options.hosts) this.#options.registry.owners.leave(roomOf(client.claims), client)
  }

  #verify(
    connection: Connection,
    presented: string,
    mayBeExpired: (claims: RoomTokenClaims) => boolean,
  ): Promise<RoomTokenClaims> {
    const { token, watches, pass } = readPresented(presented)
    const { tokenKey, clock, conferenceTokens, isInItsSpace, tokenGate } = this.#options
    const redeem = () => tokenGate.lookUp(connection, token, () => conferenceTokens.redeem(token))
    return tokenGate.judged(connection, async () => {
      const claims = token.startsWith(CONFERENCE_TOKEN_PREFIX)
        ? await authenticateToConference(redeem)
        : await authenticate(token, { key: tokenKey, now: clock.now(), mayBeExpired })
      if (!(await isInItsSpace(connection, claims.project_id))) throw outsideOfSpace()
      const isLetIn = pass !== null && isGoodPass(pass, claims, tokenKey, clock.now())
      return { ...(watches ? asAudience(claims) : claims), isLetIn }
    })
  }

  /** Finds the room of a token. Join windows decide who may enter, not who may stay. */
  async #roomFor(
    claims: RoomTokenClaims,
    client: SignalingSession | null,
    identity: ClientIdentity,
  ): Promise<RoomRecord | null> {
    const { registry } = this.#options
    await registry.checkToken(claims)
    const call = client?.mainCall
    return call ? call.session.room : registry.admit(claims, identity)
  }

  /** @throws Refusal when the client's call may not continue with this token */
  #checkRenewal(client: SignalingSession | null, claims: RoomTokenClaims): void {
    const call = client?.mainCall
    call?.session.tokens.checkRenewal(call.member, claims)
  }

  #begin(connection: Connection, claims: RoomTokenClaims): SignalingSession {
    const { clock, nodeId, tokenKey } = this.#options
    const signature = signatureOf(claims, tokenKey)
    const protocol = newProtocol(signature, claims.project_id)
    const onAbandoned = (abandoned: SignalingSession) => this.forgetIfIdle(abandoned)
    const client = new SignalingSession({ protocol, signature, claims, clock, nodeId, onAbandoned })
    client.attach(connection, this.#options.browserIdOf(connection))
    this.clients.assign(client, connection)
    if (this.#options.hosts) this.#options.registry.owners.keep(roomOf(claims), client)
    return client
  }

  #resume(client: SignalingSession, connection: Connection, claims: RoomTokenClaims): void {
    // The earlier page may still be open, for example when a tab was duplicated. It learns that its place is taken, and
    // ends its calls. If its socket is dead, nobody receives this.
    client.sendReplaced()
    const before = client.attach(connection, this.#options.browserIdOf(connection))
    this.clients.assign(client, connection, before)
    this.#renew(client, claims)
  }

  #renew(client: SignalingSession, claims: RoomTokenClaims): void {
    // An expired token only brings a client back to its call. Its other rights have ended.
    if (client.claims.id === claims.id || this.#isExpired(claims)) return
    client.claims = claims
    const call = client.mainCall
    call?.session.renewTerms(call.member, claims)
  }

  #isExpired(claims: RoomTokenClaims): boolean {
    return claims.expires_at <= this.#options.clock.now()
  }

  /**
   * Sends what the client may have missed, updates its sessions after it came back, and notices a call that is lost.
   */
  #catchUp(client: SignalingSession, state: AuthorizationState | null): void {
    const { lostSome } = client.line.resend()
    const awayMs = lostSome ? client.awayMs : 0
    for (const session of client.sessions) session.presence.back(client, awayMs)
    if (state?.callId && !client.call(state.callId)) client.expectLostCall(state.callId)
  }

  #result(client: SignalingSession, room: RoomRecord | null): object {
    return {
      identity: `${newId()}@${this.#options.nodeId}`,
      protocol: client.protocol,
      authorization: authorizationObject(client.claims, room, client, client.mainCall?.member.role ?? null),
      ice_servers: this.#options.iceServers(client.claims.id),
    }
  }

  async #orRefuse(connection: Connection, request: RpcRequest, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // The client connects anew by itself, and a balancer may take it elsewhere.
      if (this.#options.hosts && error.code === 'unavailable') connection.postponeSignIn(error.message)
      else connection.refuseSignIn(request.id, error.message)
    }
  }
}

const roomOf = ({ project_id, room_name }: RoomTokenClaims): NamedRoom => ({ project_id, name: room_name })

const isSameRoom = (one: RoomTokenClaims, other: RoomTokenClaims) =>
  one.project_id === other.project_id && one.room_name === other.room_name

/** Key under which the sockets of a token are counted. All clients with the same conference token share one key. */
const placeOf = ({ project_id, id, conference_token_hash }: RoomTokenClaims) => ({
  projectId: project_id,
  tokenId: conference_token_hash ?? id,
})

/**
 * Whether an expired token may resume a call: only the client that made the call may do so, with the token of that
 * call.
 */
function isResumeOfItsCall(
  client: SignalingSession,
  claims: RoomTokenClaims,
  state: AuthorizationState | null,
): boolean {
  return client.mainCall?.tokenId === claims.id && isSameRoom(client.claims, claims) && client.isMine(state)
}

/** Whether this is the client that the session belongs to. The token or the authorization state proves it. */
function isSameUser(
  client: SignalingSession,
  claims: RoomTokenClaims,
  state: AuthorizationState | null,
): boolean {
  return isSameRoom(client.claims, claims) && (client.claims.id === claims.id || client.isMine(state))
}
