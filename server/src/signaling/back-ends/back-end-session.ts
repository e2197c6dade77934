import type { ChatClient, ChatEvent } from '../../chat/chat-client.ts'
import { projectGrant } from '../../chat/project-grant.ts'
import type { Clock, Timer } from '../../clock.ts'
import { newId } from '../../ids.ts'
import type { ShownApiToken } from '../../projects/api-tokens.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { SessionEvent } from '../../rooms/sessions/participant.ts'
import type { SessionWatcher } from '../../rooms/sessions/session-watchers.ts'
import { encodedChatEvent } from '../chat/chat-wire.ts'
import { ClientLine } from '../client-line.ts'
import type { Connection } from '../connection.ts'
import { outgoingEvent } from '../json-rpc.ts'
import { encodedEvent, sessionDescription, wireTypeOf } from '../wire-events.ts'
import { type EventElsewhere, outgoingFor, type SessionElsewhere } from './event-elsewhere.ts'
import { EventSubscriptions } from './event-subscriptions.ts'
import { type SessionsElsewhere, stateOf } from './sessions-elsewhere.ts'

/** A back end may watch a thousand sessions, and gets their events again after half a minute of silence. */
const EVENT_LIMITS = { events: 20_000, bytes: 8 * 1024 * 1024 }
/** How long events are kept for a back end without a socket. After that it gets the new state when it comes back. */
const KEEP_EVENTS_MS = 60_000
/** How many sessions are described before other work gets its turn. */
const PORTION = 20

/** A session that the client believes to be running. */
interface KnownSession {
  roomId: string | null
  name: string
}

export interface BackEndSessionOptions {
  protocol: string
  signature: string
  token: ShownApiToken
  /** Hash of the secret that the client signed in with. */
  secretHash: string
  clock: Clock
}

/** A back end of a project as the server knows it, for longer than one socket (docs/protocol.md, section 9). */
export class BackEndSession implements SessionWatcher {
  readonly protocol: string
  readonly signature: string
  readonly scopeId = newId()
  readonly subscriptions = new EventSubscriptions()
  readonly line = new ClientLine(EVENT_LIMITS)
  /** The back end in the chat of its project. */
  readonly chat: ChatClient
  token: ShownApiToken
  secretHash: string
  readonly #clock: Clock
  /** Keyed by session id. */
  readonly #known = new Map<string, KnownSession>()
  #origin = ''
  #absence: Timer | null = null

  constructor({ protocol, signature, token, secretHash, clock }: BackEndSessionOptions) {
    this.protocol = protocol
    this.signature = signature
    this.token = token
    this.secretHash = secretHash
    this.#clock = clock
    this.chat = {
      grant: projectGrant(token.project_id, this.scopeId, clock.now()),
      notify: (event: ChatEvent) => this.line.send(encodedChatEvent(event, clock.now())),
    }
  }

  get projectId(): string {
    return this.token.project_id
  }

  /** Uses this socket from now on. @returns the previous socket, still open */
  attach(connection: Connection): Connection | null {
    this.#origin = `https://${connection.peer.host}`
    this.#absence?.cancel()
    this.#absence = null
    return this.line.attach(connection)
  }

  /**
   * Forgets a socket that is gone.
   * @param onLong called when the client stays away for longer than its events are kept
   * @returns whether it was the one in use
   */
  detach(connection: Connection, onLong: () => void): boolean {
    if (!this.line.detach(connection)) return false
    this.#absence = this.#clock.after(KEEP_EVENTS_MS, () => {
      this.line.stopKeeping()
      onLong()
    })
    return true
  }

  /** Stops waiting for the client. */
  end(): void {
    this.#absence?.cancel()
    this.#absence = null
    this.line.end()
  }

  sessionEvent(event: SessionEvent): void {
    if (this.#takes(event)) this.#send(event)
  }

  /** An event of a session on another node. */
  eventElsewhere(event: EventElsewhere): void {
    if (this.#takes(event)) this.line.send(outgoingFor(event, this.#origin))
  }

  /** Notes what an event says. @returns whether the client asked for it */
  #takes({ type, session }: Pick<EventElsewhere, 'type' | 'session'>): boolean {
    const isWanted = this.subscriptions.wants({ type, session })
    if (type === 'room_ended') this.#forget(session.id)
    else if (isWanted && type === 'room_started') this.noteKnown(session)
    return isWanted
  }

  /** The client knows from now on that this session is running, and has to learn of its end. */
  noteKnown({ id, roomId, name }: SessionElsewhere): void {
    this.#known.set(id, { roomId, name })
  }

  /** Sends `video.room.started` for sessions that run already, in portions. Those that end meanwhile are left out. */
  async describeStarted(sessions: readonly LiveSession[]): Promise<void> {
    for (let at = 0; at < sessions.length; at += PORTION) {
      for (const session of sessions.slice(at, at + PORTION)) {
        if (session.isEnded) continue
        this.noteKnown(session)
        this.#send({ session, type: 'room_started' })
      }
      if (at + PORTION < sessions.length) await new Promise(setImmediate)
    }
  }

  /** Sends a session with its members. From then on the client derives its finer events from those of the server. */
  describe(session: LiveSession): void {
    this.noteKnown(session)
    this.line.send(sessionDescription(session, this.#origin, this.#clock.now()))
  }

  /** The same for a session on another node. */
  describeElsewhere(event: EventElsewhere): void {
    this.noteKnown(event.session)
    this.line.send(outgoingFor(event, this.#origin))
  }

  /**
   * Sends what differs from what the client knew, after events were lost.
   * @param running the sessions that run on this node now
   */
  async catchUp(running: readonly LiveSession[], elsewhere: SessionsElsewhere): Promise<void> {
    const { projectId, subscriptions } = this
    const { sessions: away, isComplete } = await elsewhere.list(projectId)
    const present = new Map(running.map((session) => [session.id, session]))
    const awayIds = new Set(away.map(({ id }) => id))
    const ids = new Set([...this.#known.keys(), ...subscriptions.sessionIds])
    // Sessions of a node that does not answer may run.
    if (isComplete) for (const id of ids) if (!present.has(id) && !awayIds.has(id)) this.#tellEnd(id)
    for (const id of subscriptions.sessionIds) {
      const session = present.get(id)
      if (session) for (const event of stateOf(session)) this.#sendWanted(event)
    }
    const subscribed = new Set(subscriptions.sessionIds)
    const watched = away.filter(({ id }) => subscribed.has(id))
    for (const event of await elsewhere.describe(projectId, watched, 'state')) this.eventElsewhere(event)
    if (!subscriptions.wantsOfRooms(wireTypeOf('room_started'))) return
    await this.describeStarted(running.filter(({ id }) => !this.#known.has(id)))
    const unknown = away.filter(({ id }) => !this.#known.has(id))
    for (const event of await elsewhere.describe(projectId, unknown, 'started')) this.eventElsewhere(event)
  }

  /** URL where the client reached this server, for links. */
  get origin(): string {
    return this.#origin
  }

  #send(event: SessionEvent): void {
    // A back end has no call and no role in the room.
    const receiver = { origin: this.#origin, callIdOf: () => undefined, authorizationIn: () => ({}) }
    this.line.send(encodedEvent(event, receiver, this.#clock.now()))
  }

  #sendWanted(event: SessionEvent): void {
    if (this.subscriptions.wants(event)) this.#send(event)
  }

  /** The session ended while the client was away. Only its ids are left. */
  #tellEnd(id: string): void {
    const { roomId, name } = this.#known.get(id) ?? { roomId: null, name: '' }
    const type = wireTypeOf('room_ended')
    const isWanted = this.subscriptions.wantsOfRooms(type) || this.subscriptions.wantsOfSession(id, type)
    this.#forget(id)
    if (!isWanted) return
    const ids = { room_id: roomId, room_session_id: id }
    const channel = `EC_${id}`
    const params = {
      ...ids,
      room: { ...ids, event_channel: channel, name },
      room_session: { id, room_id: roomId, event_channel: channel, name },
    }
    this.line.send(outgoingEvent(type, params, { channel, at: this.#clock.now() }))
  }

  #forget(sessionId: string): void {
    this.#known.delete(sessionId)
    this.subscriptions.forget(sessionId)
  }
}
