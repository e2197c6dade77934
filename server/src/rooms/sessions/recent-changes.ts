import type { Permission } from '../permissions.ts'
import type { MemberField, MemberView, RoomField, SessionEvent } from './participant.ts'

/** Maximum number of changes of recordings, streams and the like that are remembered. */
const OUTPUTS_LIMIT = 200
/** Maximum number of departures that are remembered. */
const DEPARTURES_LIMIT = 1000

/** A member has left. */
export type Departure = Extract<SessionEvent, { type: 'member_left' }>

/** An event that was sent to everybody, or only to those with `permission`. */
interface Told<Event extends SessionEvent = SessionEvent> {
  event: Event
  permission: Permission | undefined
  at: number
}

interface MemberChanges {
  joinedAt: number
  fields: Map<MemberField, number>
}

/** What happened in a session since some moment. */
export interface Missed {
  left: readonly Departure[]
  hasJoined(member: MemberView): boolean
  fieldsOf(member: MemberView): MemberField[]
  room: RoomField[]
  /** Whether the size of the audience has changed. */
  audience: boolean
  /** Starts, changes and ends of recordings, streams and the like, in their order. */
  outputs: readonly { event: SessionEvent; permission: Permission | undefined }[]
}

/**
 * Remembers when which part of a session has changed, so that a participant that was away can be told. The values are not
 * kept: who comes back is told the present ones.
 */
export class RecentChanges {
  readonly #keptMs: number
  readonly #members = new WeakMap<MemberView, MemberChanges>()
  readonly #room = new Map<RoomField, number>()
  #left: Told<Departure>[] = []
  #outputs: Told[] = []
  #audienceAt = Number.NEGATIVE_INFINITY

  /** @param keptMs changes may be forgotten after this time */
  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  /**
   * Takes note of an event that participants were told.
   * @param at the present time. Times are those of one steady clock, in milliseconds
   */
  note(event: SessionEvent, permission: Permission | undefined, at: number): void {
    switch (event.type) {
      case 'member_joined':
        this.#changesOf(event.member).joinedAt = at
        return
      case 'member_updated':
        for (const field of event.updated) this.#changesOf(event.member).fields.set(field, at)
        return
      case 'member_left':
        this.#left = this.#with(this.#left, { event, permission, at }, DEPARTURES_LIMIT)
        return
      case 'room_updated':
        for (const field of event.updated) this.#room.set(field, at)
        return
      case 'audience_count':
        this.#audienceAt = at
        return
      // The present layout is always told. The others are nothing that can be missed.
      case 'layout_changed':
      case 'member_talking':
      case 'member_reacted':
      case 'subscribed':
      case 'room_started':
      case 'room_ended':
        return
      default:
        this.#outputs = this.#with(this.#outputs, { event, permission, at }, OUTPUTS_LIMIT)
    }
  }

  /** What has happened since this time. */
  since(time: number): Missed {
    const isMissed = ({ at }: { at: number }) => at >= time
    return {
      left: this.#left.filter(isMissed).map(({ event }) => event),
      hasJoined: (member) => (this.#members.get(member)?.joinedAt ?? Number.NEGATIVE_INFINITY) >= time,
      fieldsOf: (member) => fieldsSince(this.#members.get(member)?.fields, time),
      room: fieldsSince(this.#room, time),
      audience: this.#audienceAt >= time,
      outputs: this.#outputs.filter(isMissed),
    }
  }

  #changesOf(member: MemberView): MemberChanges {
    const known = this.#members.get(member)
    if (known) return known
    const changes = { joinedAt: Number.NEGATIVE_INFINITY, fields: new Map<MemberField, number>() }
    this.#members.set(member, changes)
    return changes
  }

  #with<Kept extends Told>(list: readonly Kept[], added: Kept, limit: number): Kept[] {
    const kept = list.filter(({ at }) => added.at - at <= this.#keptMs)
    return [...kept, added].slice(-limit)
  }
}

function fieldsSince<Field>(fields: ReadonlyMap<Field, number> | undefined, time: number): Field[] {
  return [...(fields ?? [])].filter(([, at]) => at >= time).map(([field]) => field)
}
