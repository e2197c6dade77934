import type { Clock, Timer } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { GrantedPermissions } from '../permissions.ts'
import type { Member, MemberSettings } from './member.ts'
import { directionsOf, type MediaAllowed, type MemberRole } from './member-role.ts'
import { termsOfChild } from './new-member.ts'
import type { SessionDepartures } from './session-departures.ts'
import type { SessionHistory } from './session-history.ts'
import type { SessionLayout } from './session-layout.ts'
import type { SessionLegs } from './session-legs.ts'
import type { SessionNotifications } from './session-notifications.ts'
import type { SessionRoster } from './session-roster.ts'

/** How long a client may take to join again in its new role. It may have to ask its user for the camera. */
const FOLLOW_TIMEOUT_MS = 30_000

const NO_PERMISSIONS: GrantedPermissions = new Set()

export interface SessionRolesOptions {
  room: RoomRecord
  media: MediaRoom
  roster: SessionRoster
  legs: SessionLegs
  departures: SessionDepartures
  history: SessionHistory
  notifications: SessionNotifications
  layout: SessionLayout
  clock: Clock
  /** @throws Refusal `session_ended` */
  checkOpen: () => void
}

/** What a moderator gives to a viewer. */
export interface Promotion {
  permissions: GrantedPermissions
  /** Media that it may send. It receives all. */
  mediaAllowed: MediaAllowed
  audioMuted: boolean
  videoMuted: boolean
  /** Null keeps the present one. */
  meta: MemberRole['meta']
}

/** An offer by which a client replaces the leg of its member. */
export interface FollowRequest {
  member: Member
  legId: string
  offer: string
  /** Called before any event about the change is sent. */
  onAnswered: (answer: string) => void
}

/** A change of role that was told, and that the client has not followed yet. */
interface Pending {
  to: MemberRole
  /** The role to return to. */
  before: MemberRole | null
  /** Settings that the change brings. */
  settings: Partial<MemberSettings>
  /** Id of the member who asked for it. Null for a back end. */
  by: string | null
  timer: Timer
}

/**
 * Makes viewers members, and members viewers (docs/protocol.md, section 7). The client is told, and joins again on a
 * new leg. Until then it stays what it is, and its new seat is held. A demoted member loses its permissions at once.
 */
export class SessionRoles {
  readonly #options: SessionRolesOptions
  readonly #pending = new Map<Member, Pending>()
  /**
   * Members whose client was told of a change. Such a client may send several new offers: for the change, and for its
   * withdrawal.
   */
  readonly #told = new WeakSet<Member>()

  constructor(options: SessionRolesOptions) {
    this.#options = options
  }

  /**
   * Makes a viewer a member, once its client has followed. {@link tell} has to be called next.
   * @param by id of the member who asks for it, null for a back end
   * @throws Refusal `invalid_state`, or `seats_taken` when the room is full
   */
  promote(member: Member, promotion: Promotion, by: string | null): void {
    this.#checkNothingPending(member)
    if (!member.isAudience) {
      throw new Refusal(
        'invalid_state',
        'Only somebody in the audience can be promoted, and this is a member.',
      )
    }
    const { permissions, mediaAllowed, meta, audioMuted, videoMuted } = promotion
    const { room_join_video_off, user_join_video_off } = this.#options.room
    const settings = {
      audio_muted: audioMuted,
      video_muted: videoMuted || room_join_video_off || user_join_video_off,
    }
    const role: MemberRole = { joinAs: 'member', permissions, mediaAllowed, mediaReceived: 'all', meta }
    this.#begin(member, role, settings, by)
  }

  /**
   * Makes a member a viewer, once its client has followed. Its permissions end at once. {@link tell} has to be called
   * next.
   * @param mediaReceived what it may still receive
   * @param by id of the member who asks for it, null for a back end
   * @throws Refusal `invalid_state`, or `seats_taken` when the audience is full
   */
  demote(member: Member, mediaReceived: MediaAllowed, by: string | null): void {
    this.#checkNothingPending(member)
    if (!member.isMain || member.isAudience) {
      throw new Refusal('invalid_state', 'Only a member can be demoted, no viewer, screen share or device.')
    }
    const without = { permissions: NO_PERMISSIONS, meta: member.role?.meta ?? null }
    const audience = { joinAs: 'audience', mediaAllowed: mediaReceived, mediaReceived } as const
    this.#begin(member, { ...without, ...audience }, {}, by)
    const { terms } = member
    const present = { mediaAllowed: terms.mediaAllowed, mediaReceived: terms.mediaReceived }
    this.#take(member, { joinAs: 'member', ...without, ...present })
  }

  /** Tells the client of a change that it has not followed yet. Does nothing if there is none. */
  tell(member: Member): void {
    const pending = this.#pending.get(member)
    if (!pending) return
    this.#told.add(member)
    this.#options.notifications.roleChanges(member, pending.to.joinAs, pending.to)
  }

  /** Whether a new main call of this member's client replaces its leg, instead of its seat. */
  expectsCall(member: Member): boolean {
    return this.#told.has(member)
  }

  /**
   * Replaces the leg of a member whose client was told of a change, and carries the change out. A client that follows
   * too late gets a leg for what it is now.
   * @throws Refusal `media_failed`, `session_ended`, or `provided_id_is_unrecognized` when the member left meanwhile
   */
  async follow({ member, legId, offer, onAnswered }: FollowRequest): Promise<void> {
    const { legs, history, notifications, checkOpen } = this.#options
    checkOpen()
    const pending = this.#pending.get(member)
    // The leg is made for one role, so the change cannot be withdrawn meanwhile.
    pending?.timer.cancel()
    const answer = await this.#negotiate({ member, legId, offer }, pending)
    if (pending) this.#become(member, pending)
    history.callReplaced(member, legId)
    // The client hangs up its old leg later. Nothing of it may be seen or heard until then.
    for (const { id } of legs.of(member)) if (id !== legId) legs.close(id)
    onAnswered(answer)
    if (pending && member.isAudience) this.#endChildren(member)
    notifications.greet(legId, member)
    if (pending) this.#announce(member)
    else notifications.describeLayout(member.participant)
  }

  /** The member has left. */
  forget(member: Member): void {
    const pending = this.#pending.get(member)
    if (!pending) return
    this.#pending.delete(member)
    pending.timer.cancel()
    this.#options.roster.release(pending.to.joinAs)
  }

  #checkNothingPending(member: Member): void {
    const pending = this.#pending.get(member)
    if (!pending) return
    const change = pending.to.joinAs === 'member' ? 'promoted' : 'demoted'
    throw new Refusal('invalid_state', `It is just being ${change}. Try again when that is done.`)
  }

  #begin(member: Member, to: MemberRole, settings: Partial<MemberSettings>, by: string | null): void {
    const { roster, clock } = this.#options
    roster.reserve(to.joinAs)
    const timer = clock.after(FOLLOW_TIMEOUT_MS, () => this.#withdraw(member))
    this.#pending.set(member, { to, before: member.role, settings, by, timer })
  }

  /** The client did not follow. The member stays what it was, and its client is told. */
  #withdraw(member: Member): void {
    const pending = this.#pending.get(member)
    if (!pending) return
    this.forget(member)
    this.#take(member, pending.before)
    const joinAs = member.isAudience ? 'audience' : 'member'
    this.#options.notifications.roleChanges(member, joinAs, pending.before)
  }

  async #negotiate(
    { member, legId, offer }: Omit<FollowRequest, 'onAnswered'>,
    pending: Pending | undefined,
  ): Promise<string> {
    const { legs } = this.#options
    const directions = pending
      ? directionsOf(pending.to, { isMain: true, isAudience: pending.to.joinAs === 'audience' })
      : member.directions
    try {
      const answer = await legs.connectAnother(legId, member, offer, directions)
      legs.checkPresent(legId)
      return answer
    } catch (error) {
      if (pending && this.#pending.get(member) === pending) this.#withdraw(member)
      throw error
    }
  }

  #become(member: Member, { to, settings, by }: Pending): void {
    const { roster, legs, media, history } = this.#options
    this.forget(member)
    this.#take(member, to)
    if (to.meta) member.meta = to.meta
    member.requestedPosition = 'auto'
    member.handRaisedAt = null
    member.talking = false
    member.change(settings)
    roster.moveToEnd(member)
    legs.inBackground(media.setMember(member.media))
    history.roleChanged(member, by)
  }

  #take(member: Member, role: MemberRole | null): void {
    member.takeRole(role)
    for (const child of this.#options.roster.childrenOf(member)) child.setTokenTerms(termsOfChild(member))
  }

  #endChildren(member: Member): void {
    const { roster, departures } = this.#options
    for (const child of roster.childrenOf(member)) departures.leave(child, 'parent_left')
  }

  #announce(member: Member): void {
    const { notifications, layout, legs, media } = this.#options
    if (member.isAudience) {
      notifications.memberWithdrew(member)
      layout.left(member)
    } else {
      layout.joined(member, () => notifications.memberJoined(member))
    }
    notifications.audienceChanged()
    legs.inBackground(media.playTone(member.isAudience ? 'exit' : 'entry'))
  }
}
