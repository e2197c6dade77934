import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { RoomRecord } from '../../storage/records.ts'
import { type TokenKey, tokenKey } from '../token-key.ts'
import { mustKnock } from '../waiting-room/must-knock.ts'
import type { ChildRequest, MemberRequest } from './join-request.ts'
import type { Member } from './member.ts'
import { newChild, newMember } from './new-member.ts'
import type { SessionDepartures } from './session-departures.ts'
import type { SessionHistory } from './session-history.ts'
import type { SessionLayout } from './session-layout.ts'
import type { SessionLegs } from './session-legs.ts'
import type { SessionNotifications } from './session-notifications.ts'
import type { SessionRoster } from './session-roster.ts'
import type { SessionTokens } from './session-tokens.ts'
import { NotWrittenInTime } from './session-write-queue.ts'

export interface SessionJoinsOptions<Session> {
  /** Passed to `onAnswered` of each request. */
  session: Session
  media: MediaRoom
  sessionId: string
  room: RoomRecord
  roster: SessionRoster
  tokens: SessionTokens
  legs: SessionLegs
  departures: SessionDepartures
  history: SessionHistory
  notifications: SessionNotifications
  layout: SessionLayout
  clock: Clock
  log: Logger
  isLocked: () => boolean
  isEnded: () => boolean
  /** @throws Refusal `session_ended` */
  checkOpen: () => void
  /** Stores the session and starts what begins with it. Called for the first join. */
  onFirst: () => Promise<void>
  /** Called with true when a join begins, and with false when it is decided. */
  onUnderWay: (isUnderWay: boolean) => void
  /** A member or viewer has its seat and its answer, and was announced. */
  onSeated: (member: Member) => void
}

/**
 * Admits people, screen shares and devices to a session. The order is: checks, a reserved seat, media, storage, the
 * answer, the seat. A failure at any step undoes the earlier ones.
 */
export class SessionJoins<Session> {
  readonly #options: SessionJoinsOptions<Session>
  #starting: Promise<void> | null = null

  constructor(options: SessionJoinsOptions<Session>) {
    this.#options = options
  }

  /**
   * Gives a seat to a member or viewer. The caller has already checked the token's validity times.
   * @throws Refusal `not_permitted`, `room_locked`, `waiting_room`, `seats_taken`, `media_failed`, `unavailable`, `session_ended`
   */
  async addMember(request: MemberRequest<Session>): Promise<Member> {
    const { room, roster, tokens, legs, departures, notifications, clock, onUnderWay, onSeated, session } =
      this.#options
    const { grant, legId } = request
    const token = tokenKey(grant)
    this.#checkWelcome(token, request)
    this.#makeSeatFor(token)
    roster.reserve(grant.join_as)
    tokens.reserve(token)
    onUnderWay(true)
    try {
      const member = newMember(request, room, clock.now())
      const answer = await legs.connect(legId, member, request.offer)
      await this.#start(legId, member)
      await this.#admit(legId, member)
      request.onAnswered(answer, member, session)
      this.#checkOutlived(legId, member)
      roster.add(member)
      tokens.renew(member, grant)
      departures.watchTime(member)
      notifications.greet(legId, member)
      this.#announce(member)
      onSeated(member)
      return member
    } finally {
      roster.release(grant.join_as)
      tokens.release(token)
      onUnderWay(false)
    }
  }

  /**
   * Adds a screen share or device to a member.
   * @throws Refusal `provided_id_is_unrecognized` when the parent is gone, `seats_taken` when it has too many,
   * `media_failed`, `session_ended`
   */
  async addChild(request: ChildRequest<Session>): Promise<Member> {
    const { roster, legs, layout, clock, checkOpen, session } = this.#options
    const { parent, legId } = request
    checkOpen()
    roster.reserveChildOf(parent)
    try {
      const child = newChild(parent, request, clock.now())
      const answer = await legs.connect(legId, child, request.offer)
      this.#checkParentOf(child)
      await this.#admit(legId, child)
      request.onAnswered(answer, child, session)
      this.#checkOutlived(legId, child)
      roster.add(child)
      layout.begin(child, request.wish ?? {})
      this.#announce(child)
      return child
    } finally {
      roster.releaseChildOf(parent)
    }
  }

  /** Announces a newcomer to all participants. */
  #announce(member: Member): void {
    const { media, legs, notifications, layout } = this.#options
    if (member.isAudience) {
      notifications.describeLayout(member.participant)
      notifications.audienceChanged()
      return
    }
    layout.joined(member, () => notifications.memberJoined(member))
    if (!member.isMain) return
    notifications.describeAudience(member.participant)
    legs.inBackground(media.playTone('entry'))
  }

  #checkWelcome(token: TokenKey, { participant, grant }: MemberRequest<Session>): void {
    const { room, checkOpen, tokens, isLocked } = this.#options
    checkOpen()
    tokens.checkNotBanned(token, participant.identity)
    if (tokens.wasIn(token, participant)) return
    if (isLocked()) throw new Refusal('room_locked')
    if (mustKnock(room, grant)) throw new Refusal('waiting_room')
  }

  #makeSeatFor(token: TokenKey): void {
    const { tokens, departures, checkOpen } = this.#options
    const replaced = tokens.replacedBy(token)
    if (replaced) departures.leave(replaced, 'replaced')
    checkOpen()
    tokens.checkSeat(token)
  }

  /** Makes sure that the session is in storage before its first member has an answer. */
  async #start(legId: string, member: Member): Promise<void> {
    const { legs, checkOpen, onFirst } = this.#options
    try {
      this.#starting ??= onFirst()
      await this.#starting
      checkOpen()
      legs.checkPresent(legId)
    } catch (error) {
      legs.disconnect(member)
      if (error instanceof Refusal) throw error
      this.#starting = null
      throw this.#databaseUnavailable('session not started', error)
    }
  }

  /**
   * Stores a newcomer before it has its answer.
   * @throws Refusal `unavailable` when the database does not accept it; nothing is left behind then
   */
  async #admit(legId: string, member: Member): Promise<void> {
    const { legs, history, roster, clock, checkOpen } = this.#options
    // Not the time of the offer: others have joined since, and the session may have started only now.
    member.joinedAt = clock.now()
    const [parentLeg] = member.parent ? legs.of(member.parent) : []
    let isWritten = false
    try {
      await history.memberJoins(member, legId, parentLeg?.id ?? null)
      isWritten = true
      checkOpen()
      legs.checkPresent(legId)
      this.#checkStillWelcome(member)
      if (member.parent) roster.checkParent(member.parent)
    } catch (error) {
      legs.disconnect(member)
      if (isWritten || (error instanceof NotWrittenInTime && error.isStillTried)) {
        history.memberDidNotCome(member, legId)
      }
      if (error instanceof Refusal) throw error
      throw this.#databaseUnavailable('somebody could not be let in', error)
    }
  }

  /** The token may have been banned while the offer was negotiated. */
  #checkStillWelcome({ tokens, participant }: Member): void {
    for (const token of tokens) this.#options.tokens.checkNotBanned(token, participant.identity)
  }

  /** Checks the parent again: if it left during the negotiation, its screen share must not join. */
  #checkParentOf(child: Member): void {
    const { roster, legs } = this.#options
    try {
      if (child.parent) roster.checkParent(child.parent)
    } catch (error) {
      legs.disconnect(child)
      throw error
    }
  }

  /**
   * Checks that the session still runs. `onAnswered` may have ended it, for example because the client gave up a seat
   * it had before.
   */
  #checkOutlived(legId: string, member: Member): void {
    const { history, isEnded, checkOpen } = this.#options
    if (!isEnded()) return
    history.memberDidNotCome(member, legId)
    member.participant.legEnded(legId, 'session_ended')
    checkOpen()
  }

  #databaseUnavailable(what: string, cause: unknown): Refusal {
    const { log, sessionId } = this.#options
    log.error({ err: cause, sessionId }, what)
    const message = 'The server cannot write to its database now. Join again in a few seconds.'
    return new Refusal('unavailable', { message, cause })
  }
}
