import type { Clock } from '../../clock.ts'
import type { Layout } from '../layouts/layout-types.ts'
import type { Permission } from '../permissions.ts'
import { AudienceCounter } from './audience-counter.ts'
import type { Member } from './member.ts'
import type {
  EndCause,
  MemberField,
  Participant,
  RecordingView,
  RemovalReason,
  RoomField,
  SessionEvent,
  SessionView,
  StreamView,
} from './participant.ts'
import type { SessionRoster } from './session-roster.ts'

/** A session as it is told: with the layout of its picture. */
type ToldSession = SessionView & { readonly layout: Layout }

const REMOVALS: ReadonlySet<EndCause | null> = new Set(['removed', 'token_revoked', 'token_reset'])
const isRemoval = (cause: EndCause | null): cause is RemovalReason => REMOVALS.has(cause)

/** Tells participants what happens in their session. */
export class SessionNotifications {
  readonly #session: ToldSession
  readonly #roster: SessionRoster
  readonly #audience: AudienceCounter

  constructor(session: ToldSession, roster: SessionRoster, clock: Clock) {
    this.#session = session
    this.#roster = roster
    this.#audience = new AudienceCounter(clock, (total) =>
      this.#broadcast({ session, type: 'audience_count', total }),
    )
  }

  /** Everything a newcomer must know, in the order its client needs it. */
  greet(legId: string, member: Member): void {
    member.participant.notify({ session: this.#session, type: 'subscribed', legId, member })
    this.describeMembers(member.participant)
  }

  describeMembers(participant: Participant): void {
    for (const member of this.#session.members) {
      participant.notify({ session: this.#session, type: 'member_updated', member, updated: [] })
    }
  }

  describeLayout(participant: Participant): void {
    participant.notify({ session: this.#session, type: 'layout_changed', layout: this.#session.layout })
  }

  memberJoined(member: Member): void {
    this.#broadcast({ session: this.#session, type: 'member_joined', member })
  }

  /** @param cause null: the client hung up by itself. Who may remove members is told of a removal that it was one */
  memberLeft(member: Member, cause: EndCause | null): void {
    const event = { session: this.#session, type: 'member_left', member } as const
    const explained: SessionEvent = isRemoval(cause) ? { ...event, reason: cause } : event
    for (const { participant, terms } of this.#roster.mains()) {
      participant.notify(terms.permissions.has('room.member.remove') ? explained : event)
    }
  }

  /** What changes with somebody in the audience is told to nobody else. */
  memberUpdated(member: Member, updated: readonly MemberField[]): void {
    const event: SessionEvent = { session: this.#session, type: 'member_updated', member, updated }
    if (member.isAudience) member.participant.notify(event)
    else this.#broadcast(event)
  }

  memberTalking(member: Member): void {
    this.#broadcast({ session: this.#session, type: 'member_talking', member })
  }

  /** Somebody has come to the audience or gone from it; everybody is told how large it is, now or in a while. */
  audienceChanged(): void {
    this.#audience.set(this.#roster.audienceCount)
  }

  /** For somebody who comes when there is an audience already. */
  describeAudience(participant: Participant): void {
    const total = this.#roster.audienceCount
    if (total > 0) participant.notify({ session: this.#session, type: 'audience_count', total })
  }

  roomUpdated(...updated: RoomField[]): void {
    this.#broadcast({ session: this.#session, type: 'room_updated', updated })
  }

  layoutChanged(layout: Layout): void {
    this.#broadcast({ session: this.#session, type: 'layout_changed', layout })
  }

  recordingChanged(type: 'started' | 'updated' | 'ended', recording: RecordingView): void {
    this.#broadcast({ session: this.#session, type: `recording_${type}`, recording }, 'room.recording')
    if (type !== 'updated') this.roomUpdated('recording')
  }

  streamChanged(type: 'started' | 'ended', stream: StreamView): void {
    this.#broadcast({ session: this.#session, type: `stream_${type}`, stream }, 'room.stream')
    this.roomUpdated('streaming')
  }

  /** The last that is told to everybody. */
  ended(): void {
    this.#audience.stop()
    this.#broadcast({ session: this.#session, type: 'room_ended' })
  }

  /** One message to every participant; to those with `permission` only, if one is given. */
  #broadcast(event: SessionEvent, permission?: Permission): void {
    for (const member of this.#roster.mains()) {
      if (!permission || member.terms.permissions.has(permission)) member.participant.notify(event)
    }
  }
}
