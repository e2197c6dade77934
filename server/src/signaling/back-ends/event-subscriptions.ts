import type { SessionEvent } from '../../rooms/sessions/participant.ts'
import { wireTypeOf } from '../wire-events.ts'

/** Channel of the start and end of all sessions of the project. */
export const ROOMS_CHANNEL = 'video.rooms'

const SESSION_PREFIX = 'EC_'

/** The session whose channel this is. Undefined if it is not the channel of a session. */
export function sessionOfChannel(channel: string): string | undefined {
  return channel.startsWith(SESSION_PREFIX) ? channel.slice(SESSION_PREFIX.length) : undefined
}

const ROOM_EVENTS: ReadonlySet<SessionEvent['type']> = new Set(['room_started', 'room_updated', 'room_ended'])

/**
 * Names by which clients ask for events that have another name on the wire. The list of members is made by the client
 * from the three events about them.
 */
const SPELLINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ['video.room.audienceCount', ['video.room.audience_count']],
  ['video.memberList.updated', ['video.member.joined', 'video.member.updated', 'video.member.left']],
])

/** The events that a back end has asked for, by channel. */
export class EventSubscriptions {
  readonly #ofRooms = new Set<string>()
  readonly #ofSession = new Map<string, Set<string>>()
  /** Events of recordings, playbacks and streams that the client started itself. */
  readonly #outputs = new Map<string, Set<string>>()

  /** Sessions whose channel the client has subscribed to. */
  get sessionIds(): string[] {
    return [...this.#ofSession.keys()]
  }

  get isEmpty(): boolean {
    return this.#ofRooms.size + this.#ofSession.size + this.#outputs.size === 0
  }

  addOfRooms(names: readonly string[]): void {
    for (const name of wireNames(names)) this.#ofRooms.add(name)
  }

  /** @returns whether these are the first ones of the session */
  addOfSession(sessionId: string, names: readonly string[]): boolean {
    const known = this.#ofSession.get(sessionId)
    const events = known ?? new Set<string>()
    for (const name of wireNames(names)) events.add(name)
    this.#ofSession.set(sessionId, events)
    return known === undefined
  }

  /** Adds events of outputs that the client started. They do not count as its first subscription to the session. */
  addOutputs(sessionId: string, names: readonly string[]): void {
    const events = this.#outputs.get(sessionId) ?? new Set<string>()
    for (const name of names) events.add(name)
    this.#outputs.set(sessionId, events)
  }

  /** The session is over. */
  forget(sessionId: string): void {
    this.#ofSession.delete(sessionId)
    this.#outputs.delete(sessionId)
  }

  /** Whether the client gets the event. An event that it asked for in two channels reaches it once. */
  wants({ type, session }: { type: SessionEvent['type']; session: { id: string } }): boolean {
    const name = wireTypeOf(type)
    if (ROOM_EVENTS.has(type) && this.#ofRooms.has(name)) return true
    return this.wantsOfSession(session.id, name) || this.#outputs.get(session.id)?.has(name) === true
  }

  wantsOfRooms(name: string): boolean {
    return this.#ofRooms.has(name)
  }

  wantsOfSession(sessionId: string, name: string): boolean {
    return this.#ofSession.get(sessionId)?.has(name) === true
  }

  /** Event names by channel, to be stored. */
  toRecord(): Record<string, string[]> {
    const ofSessions = [...this.#ofSession].map(
      ([id, names]) => [`${SESSION_PREFIX}${id}`, [...names]] as const,
    )
    return { [ROOMS_CHANNEL]: [...this.#ofRooms], ...Object.fromEntries(ofSessions) }
  }

  /** Takes over what {@link toRecord} gave. */
  restore(record: Readonly<Record<string, readonly string[]>>): void {
    for (const [channel, names] of Object.entries(record)) {
      const sessionId = sessionOfChannel(channel)
      if (sessionId !== undefined) this.addOfSession(sessionId, names)
      else if (channel === ROOMS_CHANNEL) this.addOfRooms(names)
    }
  }
}

const wireNames = (names: readonly string[]) => names.flatMap((name) => SPELLINGS.get(name) ?? [name])
