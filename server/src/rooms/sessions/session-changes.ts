import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { MediaRoom } from '../../media/media-plane.ts'
import type { Meta, SessionRecord } from '../../storage/records.ts'
import { checkMetaSize } from '../meta.ts'
import type { ChangeLog } from './change-log.ts'
import type { Member, MemberSettings } from './member.ts'
import type { MemberField, RoomField } from './participant.ts'
import type { SessionLayout } from './session-layout.ts'
import type { SessionNotifications } from './session-notifications.ts'
import type { SessionRoster } from './session-roster.ts'
import { CONFIRMATION_TIMEOUT_MS, within } from './within.ts'

/** Settings of a session that requests can change. The names are those of the wire. */
export interface RoomState {
  locked: boolean
  hide_video_muted: boolean
  prioritize_handraise: boolean
  meta: Meta
}

export interface SessionChangesOptions {
  media: Pick<MediaRoom, 'setMember'>
  clock: Clock
  log: Logger
  roster: SessionRoster
  layout: SessionLayout
  notifications: SessionNotifications
  /** The changes of this session for its history. */
  changeLog: ChangeLog
  /** Current settings. Changed in place. */
  room: RoomState
  /** Changes the stored record of the session. */
  store: (changes: Pick<SessionRecord, 'locked'>) => void
}

/**
 * Changes members and the room while the session runs. Informs the media worker, the participants and the history of
 * what is different afterwards.
 */
export class SessionChanges {
  readonly #options: SessionChangesOptions
  /** The last change of each member's media. The next one waits for it. */
  readonly #underWay = new WeakMap<Member, Promise<void>>()

  constructor(options: SessionChangesOptions) {
    this.#options = options
  }

  /**
   * Changes mutes, volumes and similar settings. The media worker applies them first. Only then do they count here,
   * `onApplied` is called and participants are informed, all at once. So whoever was answered that a member is muted
   * hears and sees nothing of what it sends from then on. Changes of one member take effect one after the other.
   * @param onApplied the place to answer the request that asked for it
   * @throws Refusal `media_failed` if the worker does not confirm; `provided_id_is_unrecognized` if the member has
   * left meanwhile. Then nothing has changed
   */
  change(member: Member, settings: Partial<MemberSettings>, onApplied = () => {}): Promise<void> {
    const before = this.#underWay.get(member) ?? Promise.resolve()
    const change = before.then(() => this.#changeNow(member, settings, onApplied))
    this.#underWay.set(
      member,
      change.catch(() => {}),
    )
    return change
  }

  /**
   * Raises or lowers a member's hand. A hand that is up stays up since the first time.
   * @param onApplied called before anybody is informed, as for the other changes
   */
  raiseHand(member: Member, raised: boolean, onApplied = () => {}): void {
    onApplied()
    if (member.handRaised === raised) return
    member.handRaisedAt = raised ? this.#options.clock.now() : null
    this.#tell(member, { handraised: raised }, ['handraised'])
    if (this.#options.room.prioritize_handraise) this.#options.layout.arrange()
  }

  /** @throws Refusal `invalid_parameter` if the new meta is too large */
  setMeta(member: Member, meta: Meta, onApplied = () => {}): void {
    checkMetaSize(meta)
    onApplied()
    if (isDeepStrictEqual(member.meta, meta)) return
    member.meta = meta
    this.#tell(member, { meta }, ['meta'])
  }

  /**
   * Changes the room for the rest of the session. A locked session refuses new joins.
   * @throws Refusal `invalid_parameter` if the new meta is too large
   */
  changeRoom(settings: Partial<RoomState>, onApplied = () => {}): void {
    const { room, layout, notifications, changeLog, store } = this.#options
    if (settings.meta) checkMetaSize(settings.meta)
    onApplied()
    const changed = difference(room, settings)
    const fields = Object.keys(changed) as RoomField[]
    if (fields.length === 0) return
    Object.assign(room, changed)
    if (changed.locked !== undefined) store({ locked: changed.locked })
    changeLog.room(changed)
    notifications.roomUpdated(...fields)
    if (changed.hide_video_muted !== undefined || changed.prioritize_handraise !== undefined) layout.arrange()
  }

  async #changeNow(member: Member, settings: Partial<MemberSettings>, onApplied: () => void): Promise<void> {
    this.#checkPresent(member)
    const changed = difference(member.settings, settings)
    const isChange = Object.keys(changed).length > 0
    if (isChange) {
      await this.#apply(member, changed)
      this.#checkPresent(member)
    }
    const updated = member.change(changed)
    onApplied()
    if (!isChange) return
    this.#tell(member, changed, updated)
    if (changed.video_muted !== undefined) this.#options.layout.arrange()
  }

  /** @throws Refusal `media_failed` */
  async #apply(member: Member, changed: Partial<MemberSettings>): Promise<void> {
    const { media, clock, log } = this.#options
    try {
      await within(clock, CONFIRMATION_TIMEOUT_MS, this.#send(member, changed))
    } catch (error) {
      log.warn({ err: error, memberId: member.id }, 'change of a member not confirmed')
      // The worker may have applied it, or may still do so.
      if (this.#isPresent(member)) media.setMember(member.media).catch(() => {})
      throw new Refusal('media_failed', {
        message: 'The media of this member could not be changed. Try again.',
        cause: error,
      })
    }
  }

  /** Sends it again if a new role changed the member meanwhile. */
  async #send(member: Member, changed: Partial<MemberSettings>): Promise<void> {
    const wanted = member.mediaWith(changed)
    await this.#options.media.setMember(wanted)
    if (this.#isPresent(member) && !isDeepStrictEqual(wanted, member.mediaWith(changed)))
      await this.#send(member, changed)
  }

  #tell(member: Member, changed: object, updated: readonly MemberField[]): void {
    this.#options.changeLog.member(member, changed)
    if (updated.length > 0) this.#options.notifications.memberUpdated(member, updated)
  }

  #isPresent(member: Member): boolean {
    return this.#options.roster.get(member.id) === member
  }

  #checkPresent(member: Member): void {
    if (!this.#isPresent(member)) throw new Refusal('provided_id_is_unrecognized', 'The member has left.')
  }
}

/** The settings that are not so already. */
function difference<T extends object>(present: Readonly<T>, wanted: Partial<T>): Partial<T> {
  const changed: Partial<T> = {}
  for (const key of Object.keys(wanted) as (keyof T)[]) {
    if (!isDeepStrictEqual(present[key], wanted[key])) changed[key] = wanted[key]
  }
  return changed
}
