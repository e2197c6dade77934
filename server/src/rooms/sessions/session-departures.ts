import type { Clock } from '../../clock.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { TokenKey } from '../token-key.ts'
import type { ChangeLog } from './change-log.ts'
import type { Member } from './member.ts'
import type { EndCause } from './participant.ts'
import type { VoidReason } from './session-bans.ts'
import type { SessionEndReason, SessionHistory } from './session-history.ts'
import type { SessionLayout } from './session-layout.ts'
import type { Leg, SessionLegs } from './session-legs.ts'
import type { SessionNotifications } from './session-notifications.ts'
import { SessionRemovals } from './session-removals.ts'
import type { SessionRoster } from './session-roster.ts'
import type { SessionTokens } from './session-tokens.ts'

/** The cause that clients get, for each reason why a session ends. */
const CAUSE_OF_END: Record<SessionEndReason, EndCause> = {
  empty: 'session_ended',
  member_left: 'session_ended',
  ended_by_member: 'session_ended',
  room_deleted: 'session_ended',
  media_worker_died: 'media_worker_died',
  shutdown: 'shutdown',
  // Clients come back, as after the death of a worker: to the node that owns the room then.
  ownership_lost: 'media_worker_died',
}

export interface SessionDeparturesOptions {
  media: MediaRoom
  roster: SessionRoster
  tokens: SessionTokens
  legs: SessionLegs
  history: SessionHistory
  notifications: SessionNotifications
  layout: SessionLayout
  changeLog: ChangeLog
  clock: Clock
  isEnded: () => boolean
  /** Called for everybody who leaves, before anything is told. */
  onGone: (member: Member) => void
  /** A member has left a session that has not ended. */
  onLeft: (member: Member) => void
}

/** Takes members, viewers, screen shares and devices out of a session. Writes their departure and announces it. */
export class SessionDepartures {
  readonly #options: SessionDeparturesOptions
  readonly #removals: SessionRemovals

  constructor(options: SessionDeparturesOptions) {
    this.#options = options
    this.#removals = new SessionRemovals(options.clock, (member) => this.leave(member, 'time_over'))
  }

  /** The client hung up one of its legs. Its member leaves with the last leg that was answered. */
  hangUp(legId: string): void {
    const { legs } = this.#options
    const leg = legs.get(legId)
    if (!leg) return
    legs.close(legId)
    if (!legs.of(leg.member).some(({ isAnswered }) => isAnswered)) this.leave(leg.member, null)
  }

  /** A moderator removes a member or viewer for the rest of the session; a screen share or device just ends. */
  expel(member: Member): void {
    if (member.isMain) this.#options.tokens.ban(member)
    this.leave(member, 'removed')
  }

  /** Refuses this token for the rest of the session, and removes everybody who currently uses it. */
  voidToken(token: TokenKey, reason: VoidReason): void {
    const { tokens, roster } = this.#options
    tokens.voidToken(token, reason)
    for (const member of roster.withToken(token)) this.leave(member, reason)
  }

  /** Removes the member at the time in its current terms. This replaces an earlier time. */
  watchTime(member: Member): void {
    this.#removals.watch(member)
  }

  /** A leg has lost its media for good. */
  legLost({ member, isGone }: Leg): void {
    const { roster, legs } = this.#options
    // While the socket is gone, the seat is kept for the whole grace, because a reloaded page brings new media.
    if (roster.isAbsent(member.participant)) return
    if (roster.get(member.id)) this.leave(member, isGone ? 'media_worker_died' : 'media_failed')
    else legs.disconnect(member)
  }

  /** The session has ended: everybody leaves. */
  everybody(reason: SessionEndReason): void {
    for (const member of this.#options.roster.mains()) this.leave(member, CAUSE_OF_END[reason])
  }

  /**
   * Takes a member out without a ban, with its screen shares and devices. It may join again. Does nothing if it has
   * left already.
   * @param cause null if the client hung up by itself
   */
  leave(member: Member, cause: EndCause | null): void {
    const { roster, legs, history, changeLog, isEnded, onGone, onLeft } = this.#options
    if (!roster.delete(member)) return
    onGone(member)
    for (const child of roster.childrenOf(member)) this.leave(child, 'parent_left')
    this.#removals.forget(member)
    const legsOfMember = legs.of(member)
    // An ended session closes its whole media room, after its recordings.
    if (!isEnded()) legs.disconnect(member)
    for (const leg of legsOfMember) if (cause !== null) member.participant.legEnded(leg.id, cause)
    changeLog.close(member)
    history.memberLeft(member, cause ?? 'left')
    if (isEnded()) return
    this.#announce(member, cause)
    onLeft(member)
  }

  #announce(member: Member, cause: EndCause | null): void {
    const { media, legs, notifications, layout } = this.#options
    if (member.isAudience) {
      notifications.audienceChanged()
      return
    }
    notifications.memberLeft(member, cause)
    layout.left(member)
    if (member.isMain) legs.inBackground(media.playTone('exit'))
  }
}
