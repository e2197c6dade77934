import type { Clock, Timer } from '../../clock.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { TokenKey } from '../token-key.ts'
import type { Member } from './member.ts'
import type { Participant } from './participant.ts'

/** Maximum number of screen shares and extra devices of one member. */
const MAX_CHILDREN = 8

/** Maximum numbers of members and audience in a session. */
export interface SeatLimits {
  member: number
  audience: number
}

/** Tracks who has a seat in a session, who is negotiating one, and whose socket is gone. */
export class SessionRoster {
  readonly #limits: SeatLimits
  readonly #clock: Clock
  /** In order of arrival. */
  readonly #seated = new Map<string, Member>()
  /** Members and viewers who are still negotiating. Their seats count as taken. */
  readonly #arriving = { member: 0, audience: 0 }
  /** Number of screen shares and devices that each member is negotiating. */
  readonly #arrivingChildren = new Map<Member, number>()
  readonly #absences = new Map<Participant, Timer>()

  constructor(limits: SeatLimits, clock: Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  get size(): number {
    return this.#seated.size
  }

  /** True if nobody has a seat and nobody is negotiating one. */
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

  /** Members and viewers, without screen shares and devices. */
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

  /** Members and viewers whose current token is this one. See `Member.token`. */
  withToken(token: TokenKey): Member[] {
    return this.mains().filter((member) => member.token === token)
  }

  of(participant: Participant): Member[] {
    return this.mains().filter((member) => member.participant === participant)
  }

  /** Whether all seats are taken, counting those who are still negotiating. */
  isFull(kind: 'member' | 'audience'): boolean {
    return this.#mains(kind) + this.#arriving[kind] >= this.#limits[kind]
  }

  /**
   * Reserves a seat during a negotiation. {@link release} frees it.
   * @throws Refusal `seats_taken`
   */
  reserve(kind: 'member' | 'audience'): void {
    if (this.isFull(kind)) {
      throw new Refusal(
        'seats_taken',
        `The room is full: it takes ${this.#limits[kind]}. Try again when somebody has left.`,
      )
    }
    this.#arriving[kind]++
  }

  release(kind: 'member' | 'audience'): void {
    this.#arriving[kind]--
  }

  /** @throws Refusal `provided_id_is_unrecognized` if the owner of the screen share or device has left */
  checkParent(parent: Member): void {
    if (!this.#seated.has(parent.id)) {
      throw new Refusal(
        'provided_id_is_unrecognized',
        'The call that this device belongs to is not in the session.',
      )
    }
  }

  /**
   * Reserves a seat for a screen share or device during its negotiation. {@link releaseChildOf} frees it.
   * @throws Refusal `provided_id_is_unrecognized` when the parent has left, `seats_taken` when it has too many children
   */
  reserveChildOf(parent: Member): void {
    this.checkParent(parent)
    const arriving = this.#arrivingChildren.get(parent) ?? 0
    if (this.childrenOf(parent).length + arriving >= MAX_CHILDREN) {
      throw new Refusal('seats_taken', `A member may share ${MAX_CHILDREN} screens and devices at most.`)
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

  /** A viewer became a member, or the other way round: it arrives anew, behind those who are there. */
  moveToEnd(member: Member): void {
    this.#seated.delete(member.id)
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

  /** The participant's socket is gone. Calls `onOver` if it stays away for `graceMs`. */
  absent(participant: Participant, graceMs: number, onOver: () => void): void {
    if (this.#absences.has(participant) || this.of(participant).length === 0) return
    const timer = this.#clock.after(graceMs, () => {
      this.#absences.delete(participant)
      onOver()
    })
    this.#absences.set(participant, timer)
  }

  /** Ends the wait for the participant: it is connected again, or has no seat any more. */
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
