import type { Clock } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { Reaction } from '../../resources/reactions.ts'
import type { Member } from './member.ts'
import type { SessionNotifications } from './session-notifications.ts'

/** Reactions of one member at once, and the time in which it may show one more after that. */
const AT_ONCE = 5
const ONE_MORE_MS = 1000

/** Shows reactions to everybody, and keeps none. Each member may show only so many: everybody is told of each. */
export class SessionReactions {
  readonly #notifications: Pick<SessionNotifications, 'memberReacted'>
  readonly #clock: Clock
  /** When the reactions of a member would all be used up, in Unix milliseconds. */
  readonly #usedUntil = new WeakMap<Member, number>()

  constructor(options: { notifications: Pick<SessionNotifications, 'memberReacted'>; clock: Clock }) {
    this.#notifications = options.notifications
    this.#clock = options.clock
  }

  /**
   * @param onApplied called before anybody is told
   * @throws Refusal `rate_limit_exceeded`
   */
  show(member: Member, reaction: Reaction, onApplied = () => {}): void {
    const now = this.#clock.now()
    const usedUntil = Math.max(this.#usedUntil.get(member) ?? 0, now) + ONE_MORE_MS
    if (usedUntil - now > AT_ONCE * ONE_MORE_MS) {
      throw new Refusal('rate_limit_exceeded', 'These are too many reactions at once. Wait a second.')
    }
    this.#usedUntil.set(member, usedUntil)
    onApplied()
    this.#notifications.memberReacted(member, reaction)
  }
}
