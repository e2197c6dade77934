import { Refusal } from '../../errors/refusal.ts'
import type { TokenKey } from '../token-key.ts'
import type { Member } from './member.ts'

/** Counts the seats that each token holds, against the operator's limit. */
export class TokenSeats {
  readonly #limit: number | null
  /** Number of negotiations with each token. Their seats count as taken. */
  readonly #arriving = new Map<TokenKey, number>()

  /** @param limit null for no limit */
  constructor(limit: number | null) {
    this.#limit = limit
  }

  /**
   * Whether one more may join with this token.
   * @param seated members who have a seat with it
   */
  hasRoom(token: TokenKey, seated: readonly Member[]): boolean {
    return this.#limit === null || seated.length + (this.#arriving.get(token) ?? 0) < this.#limit
  }

  /** @throws Refusal `seats_taken` */
  check(token: TokenKey, seated: readonly Member[]): void {
    if (this.hasRoom(token, seated)) return
    const limit = this.#limit === 1 ? 'one person' : `${this.#limit} people`
    throw new Refusal(
      'seats_taken',
      `This token lets in ${limit} at once. Ask for a token of your own, or come when somebody has left.`,
    )
  }

  /** Reserves a seat during a negotiation. {@link release} frees it. */
  reserve(token: TokenKey): void {
    this.#arriving.set(token, (this.#arriving.get(token) ?? 0) + 1)
  }

  release(token: TokenKey): void {
    const left = (this.#arriving.get(token) ?? 0) - 1
    if (left > 0) this.#arriving.set(token, left)
    else this.#arriving.delete(token)
  }
}
