import type { Clock, Timer } from '../../clock.ts'
import type { Member } from './member.ts'

/** Removes members at the times that their tokens define. */
export class SessionRemovals {
  readonly #clock: Clock
  readonly #remove: (member: Member) => void
  readonly #timers = new Map<Member, Timer>()

  /** @param remove called once a member's time is over */
  constructor(clock: Clock, remove: (member: Member) => void) {
    this.#clock = clock
    this.#remove = remove
  }

  /** Watches the removal time in the member's current terms. It replaces an earlier one. */
  watch(member: Member): void {
    this.forget(member)
    const { removeAt } = member.terms
    if (removeAt === null) return
    const leftMs = Math.max(0, removeAt - this.#clock.now())
    this.#timers.set(
      member,
      this.#clock.after(leftMs, () => this.#remove(member)),
    )
  }

  forget(member: Member): void {
    this.#timers.get(member)?.cancel()
    this.#timers.delete(member)
  }
}
