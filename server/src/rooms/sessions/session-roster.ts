import type { Clock, Timer } from '../../clock.ts'
import type { TokenKey } from '../token-key.ts'
import type { Member } from './member.ts'
import type { Participant } from './participant.ts'
import { SessionRefusal } from './refusal.ts'

/** Screen shares and extra devices of one member. */
const MAX_CHILDREN = 8

/** How many a session takes. */
export interface SeatLimits {
  member: number
  audience: number
}

/** Who has a seat in a session, who is about to take one, and whose socket is away. */
export class SessionRoster {
  readonly #limits: SeatLimits
  readonly #clock: Clock
  /** In order of arrival. */
  readonly #seated = new Map<string, Member>()
  /** Main members who are still negotiating; their seats count as taken. */
  readonly #arriving = { member: 0, audience: 0 }
  /** How many screen shares and devices each member is negotiating. */
  readonly #arrivingChildren = new Map<Member, number>()
  readonly #absences = new Map<Participant, Timer>()

  constructor(limits: SeatLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  get size(): number {
    return this.#seated.size
  }

  /** Nobody is there, and nobody on the way. */
  get isEmpty(): boolean {
    return this.#seated.size + this.#arriving.member + this.#arriving.audience === 0
  }

  get audienceCount(): number {
    return this.#mains('audience')
  }

  get(id: string): Member | undefined {
    return this.#seated.get(id)
  }

  all(): Member[] {
    return [...this.#seated.values()]
  }

  /** Those with a place of their own: no screen shares, no devices. */
  mains(): Member[] {
    return this.all().filter((member) => member.isMain)
  }

  /** Members, screen shares and devices. */
  members(): Member[] {
    return this.all().filter((member) => !member.isAudience)
  }

  childrenOf(parent: Member): Member[] {
    return this.all().filter((member) => member.parent === parent)
  }

  /** Those who are in by this token; see `Member.token`. */
  withToken(token: TokenKey): Member[] {
    return this.mains().filter((member) => member.token === token)
  }

  of(participant: Participant): Member[] {
    return this.mains().filter((member) => member.participant === participant)
  }

  /**
   * Holds a seat for somebody who is negotiating; let go by {@link release}.
   * @throws SessionRefusal `full`
   */
  reserve(kind: 'member' | 'audience'): void {
    const limit = this.#limits[kind]
    if (this.#mains(kind) + this.#arriving[kind] >= limit) {
      throw new SessionRefusal(
        'full',
        `The room is full: it takes ${limit}. Try again when somebody has left.`,
      )
    }
    this.#arriving[kind]++
  }

  release(kind: 'member' | 'audience'): void {
    this.#arriving[kind]--
  }

  /** @throws SessionRefusal `not_found` when the parent of a screen share or device has left */
  checkParent(parent: Member): void {
    if (!this.#seated.has(parent.id)) {
      throw new SessionRefusal('not_found', 'The call that this device belongs to is not in the session.')
    }
  }

  /**
   * Holds a seat for a screen share or device that is negotiating; let go by {@link releaseChildOf}.
   * @throws SessionRefusal `not_found` when the parent has left, `full` when it has too many children
   */
  reserveChildOf(parent: Member): void {
    this.checkParent(parent)
    const arriving = this.#arrivingChildren.get(parent) ?? 0
    if (this.childrenOf(parent).length + arriving >= MAX_CHILDREN) {
      throw new SessionRefusal('full', `A member may share ${MAX_CHILDREN} screens and devices at most.`)
    }
    this.#arrivingChildren.set(parent, arriving + 1)
  }

  releaseChildOf(parent: Member): void {
    const left = (this.#arrivingChildren.get(parent) ?? 0) - 1
    if (left > 0) this.#arrivingChildren.set(parent, left)
    else this.#arrivingChildren.delete(parent)
  }

  add(member: Member): void {
    this.#seated.set(member.id, member)
  }

  /** @returns whether the member had a seat */
  delete(member: Member): boolean {
    if (!this.#seated.delete(member.id)) return false
    if (this.of(member.participant).length === 0) this.present(member.participant)
    return true
  }

  isAbsent(participant: Participant): boolean {
    return this.#absences.has(participant)
  }

  /** The participant's socket is gone; `onOver` is called when it stays away for `graceMs`. */
  absent(participant: Participant, graceMs: number, onOver: () => void): void {
    if (this.#absences.has(participant) || this.of(participant).length === 0) return
    const timer = this.#clock.after(graceMs, () => {
      this.#absences.delete(participant)
      onOver()
    })
    this.#absences.set(participant, timer)
  }

  /** The participant is there again, or needs no waiting for any more. */
  present(participant: Participant): void {
    this.#absences.get(participant)?.cancel()
    this.#absences.delete(participant)
  }

  #mains(kind: 'member' | 'audience'): number {
    let count = 0
    for (const member of this.#seated.values()) {
      if (member.isMain && member.isAudience === (kind === 'audience')) count++
    }
    return count
  }
}
