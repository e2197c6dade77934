import type { StunMessage } from '../stun.ts'
import type { RandomBytes } from './ice-session.ts'
import type { IceRole } from './ice-types.ts'

/** Our role. Where the other side believes that it has the same one, tie-breakers decide (RFC 8445, section 7.3.1.1). */
export class AgreedRole {
  readonly #random: RandomBytes
  #role: IceRole
  #tieBreaker: bigint

  constructor(role: IceRole, random: RandomBytes) {
    this.#random = random
    this.#role = role
    this.#tieBreaker = random(8).readBigUInt64BE()
  }

  get now(): IceRole {
    return this.#role
  }

  get isControlling(): boolean {
    return this.#role === 'controlling'
  }

  /** What our checks tell along with the role. */
  get tieBreaker(): bigint {
    return this.#tieBreaker
  }

  /** Takes what a check of the other side says. @returns whether the other side has to change its role; if it is we, we have */
  insists({ role, tieBreaker }: StunMessage): boolean {
    if (role !== this.#role) return false
    const isControllingOne = this.#tieBreaker >= tieBreaker
    if (isControllingOne === this.isControlling) return true
    this.#role = isControllingOne ? 'controlling' : 'controlled'
    return false
  }

  /** The other side insists on the role that a check of ours named (RFC 8445, section 7.2.5.1). */
  giveUp(role: IceRole): void {
    this.#role = role === 'controlling' ? 'controlled' : 'controlling'
    this.#tieBreaker = this.#random(8).readBigUInt64BE()
  }
}
