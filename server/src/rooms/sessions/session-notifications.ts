import type { Clock } from '../../clock.ts'
import type { Reaction } from '../../resources/reactions.ts'
import type { Layout } from '../layouts/layout-types.ts'
import type { Permission } from '../permissions.ts'
import { AudienceCounter } from './audience-counter.ts'
import type { Member } from './member.ts'
import type { MemberRole } from './member-role.ts'
import type {
  EndCause,
  MemberField,
  Participant,
  PlaybackView,
  RecordingView,
  RemovalReason,
  RoomField,
  SessionEvent,
  SessionView,
  StreamView,
} from './participant.ts'
import { type Departure, RecentChanges } from './recent-changes.ts'
import type { ArrangementChange } from './session-layout.ts'
import type { SessionRoster } from './session-roster.ts'
import type { SessionWatchers } from './session-watchers.ts'

/** A client whose socket is gone is noticed after 40 s at most. It may come back for the whole grace after that. */
const UNNOTICED_MS = 60_000

/** A session with the layout of its picture, as participants are informed about it. */
type ToldSession = SessionView & { readonly layout: Layout }

export interface SessionNotificationsOptions {
  session: ToldSession
  roster: SessionRoster
  watchers: SessionWatchers
  clock: Clock
  /** How long a participant may be away. */
  reconnectGraceMs: number
}

/** Members that one arrangement tells of one by one. */
const MOST_UPDATES = 25

const REMOVALS: ReadonlySet<EndCause | null> = new Set(['removed', 'token_revoked', 'token_reset'])
const maySeeReasons = ({ terms }: Member) => terms.permissions.has('room.member.remove')
const isRemoval = (cause: EndCause | null): cause is RemovalReason => REMOVALS.has(cause)

/** Informs participants of what happens in their session, and the watchers of its project. */
export class SessionNotifications {
  readonly #session: ToldSession
  readonly #roster: SessionRoster
  readonly #watchers: SessionWatchers
  readonly #audience: AudienceCounter
  readonly #clock: Clock
  readonly #changes: RecentChanges
  #hasStarted = false

  constructor(options: SessionNotificationsOptions) {
    const { session, roster, watchers, clock, reconnectGraceMs } = options
    this.#session = session
    this.#roster = roster
    this.#watchers = watchers
    this.#clock = clock
    this.#changes = new RecentChanges(reconnectGraceMs + UNNOTICED_MS)
    this.#audience = new AudienceCounter(clock, (total) =>
      this.#broadcast({ session, type: 'audience_count', total }),
    )
  }

  /** The session is in storage. Its first member joins now. */
  started(): void {
    this.#hasStarted = true
    this.#watchers.tell({ session: this.#session, type: 'room_started' })
  }

  /** Sends a newcomer everything it must know, in the order that its client needs. */
  greet(legId: string, member: Member): void {
    member.participant.notify({ session: this.#session, type: 'subscribed', legId, member })
    this.describeMembers(member.participant)
  }

  /**
   * Tells a participant that was away what it missed: who came and went, which fields have changed, what was started
   * and ended. Then it knows the present state.
   * @param self its own seat
   */
  catchUp(self: Member, awayMs: number): void {
    const { participant, terms } = self
    const session = this.#session
    const missed = this.#changes.since(this.#clock.now() - awayMs)
    for (const event of missed.left) {
      const { reason: _, ...plain } = event
      participant.notify(maySeeReasons(self) ? event : plain)
    }
    for (const member of self.isAudience ? [self, ...session.members] : session.members) {
      if (member !== self && missed.hasJoined(member))
        participant.notify({ session, type: 'member_joined', member })
      participant.notify({ session, type: 'member_updated', member, updated: missed.fieldsOf(member) })
    }
    for (const { event, permission } of missed.outputs) {
      if (!permission || terms.permissions.has(permission)) participant.notify(event)
    }
    if (missed.room.length > 0) participant.notify({ session, type: 'room_updated', updated: missed.room })
    if (missed.audience) {
      participant.notify({ session, type: 'audience_count', total: this.#roster.audienceCount })
    }
    this.describeLayout(participant)
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

  /**
   * @param cause null if the client hung up by itself. Only members who may remove others learn that it was a removal
   */
  memberLeft(member: Member, cause: EndCause | null): void {
    const event = { session: this.#session, type: 'member_left', member } as const
    const explained: Departure = isRemoval(cause) ? { ...event, reason: cause } : event
    this.#changes.note(explained, undefined, this.#clock.now())
    for (const self of this.#roster.mains()) {
      self.participant.notify(maySeeReasons(self) ? explained : event)
    }
    this.#watchers.tell(explained)
  }

  /** A member is in the audience from now on. It knows that already. */
  memberWithdrew(member: Member): void {
    const event: SessionEvent = { session: this.#session, type: 'member_left', member }
    for (const { participant } of this.#roster.mains()) {
      if (participant !== member.participant) participant.notify(event)
    }
    this.#watchers.tell(event)
  }

  /** Tells a client to join again in another role. Null is the role of its token. */
  roleChanges(member: Member, joinAs: MemberRole['joinAs'], role: MemberRole | null): void {
    const type = joinAs === 'member' ? 'member_promoted' : 'member_demoted'
    member.participant.notify({ session: this.#session, type, member, role })
  }

  /** Changes of a viewer are sent only to that viewer. */
  memberUpdated(member: Member, updated: readonly MemberField[]): void {
    const event: SessionEvent = { session: this.#session, type: 'member_updated', member, updated }
    if (member.isAudience) {
      this.#changes.note(event, undefined, this.#clock.now())
      member.participant.notify(event)
    } else this.#broadcast(event)
  }

  memberTalking(member: Member): void {
    this.#broadcast({ session: this.#session, type: 'member_talking', member })
  }

  memberReacted(member: Member, reaction: Reaction): void {
    this.#broadcast({ session: this.#session, type: 'member_reacted', member, reaction })
  }

  /** The audience has grown or shrunk. All participants get its new size, at once or after a delay. */
  audienceChanged(): void {
    this.#audience.set(this.#roster.audienceCount)
  }

  /** Informs a newcomer of the size of the audience, if there is one. */
  describeAudience(participant: Participant): void {
    const total = this.#roster.audienceCount
    if (total > 0) participant.notify({ session: this.#session, type: 'audience_count', total })
  }

  roomUpdated(...updated: RoomField[]): void {
    this.#broadcast({ session: this.#session, type: 'room_updated', updated })
  }

  /**
   * The picture is arranged anew. Each member that changed by it is told of, then the whole arrangement. If many changed
   * at once, only requests are told of one by one: in a crowd the messages would grow with the square of its size.
   */
  arranged({ layout, updated, isNewLayout }: ArrangementChange): void {
    for (const [member, fields] of updated) {
      if (updated.size <= MOST_UPDATES || fields.includes('requested_position'))
        this.memberUpdated(member, fields)
    }
    this.#broadcast({ session: this.#session, type: 'layout_changed', layout })
    if (isNewLayout) this.roomUpdated('layout_name')
  }

  recordingChanged(type: 'started' | 'updated' | 'ended', recording: RecordingView): void {
    this.#broadcast({ session: this.#session, type: `recording_${type}`, recording }, 'room.recording')
    if (type !== 'updated') this.roomUpdated('recording')
  }

  streamChanged(type: 'started' | 'ended', stream: StreamView): void {
    this.#broadcast({ session: this.#session, type: `stream_${type}`, stream }, 'room.stream')
    this.roomUpdated('streaming')
  }

  playbackChanged(type: 'started' | 'updated' | 'ended', playback: PlaybackView): void {
    this.#broadcast({ session: this.#session, type: `playback_${type}`, playback }, 'room.playback')
  }

  /** The last message to everybody. */
  ended(): void {
    this.#audience.stop()
    this.#broadcast({ session: this.#session, type: 'room_ended' })
  }

  /** Sends one event to all watchers, and to all participants or only to those with `permission`. */
  #broadcast(event: SessionEvent, permission?: Permission): void {
    this.#changes.note(event, permission, this.#clock.now())
    for (const member of this.#roster.mains()) {
      if (!permission || member.terms.permissions.has(permission)) member.participant.notify(event)
    }
    // Watchers never hear of a session that did not come about.
    if (this.#hasStarted) this.#watchers.tell(event)
  }
}
