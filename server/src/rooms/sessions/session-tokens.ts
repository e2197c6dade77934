import type { SteadyClock } from '../../clock.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { type TokenKey, tokenKey } from '../token-key.ts'
import type { Member } from './member.ts'
import { termsOf, termsOfChild } from './new-member.ts'
import type { ClientIdentity } from './participant.ts'
import { SessionBans, type VoidReason } from './session-bans.ts'
import type { SessionRoster } from './session-roster.ts'
import { TokenSeats } from './token-seats.ts'

export interface SessionTokensOptions {
  room: RoomRecord
  roster: SessionRoster
  /** Seats that one token fills at once; null for any number. */
  seatsPerToken: number | null
  clock: SteadyClock
}

/** Which tokens let whom into a session, and what they grant to those who are in. */
export class SessionTokens {
  readonly #options: SessionTokensOptions
  readonly #perToken: TokenSeats
  readonly #bans = new SessionBans()

  constructor(options: SessionTokensOptions) {
    this.#options = options
    this.#perToken = new TokenSeats(options.seatsPerToken)
  }

  /** Names of the tokens that somebody is in by. */
  get inUse(): TokenKey[] {
    return this.#options.roster.mains().flatMap((member) => member.token ?? [])
  }

  /** Holds one of the seats of a token for somebody who is negotiating; let go by {@link release}. */
  reserve(token: TokenKey): void {
    this.#perToken.reserve(token)
  }

  release(token: TokenKey): void {
    this.#perToken.release(token)
  }

  /**
   * Whether nobody was removed by this token whom this client may be, and the token itself is not void.
   * @throws SessionRefusal `forbidden`
   */
  checkNotBanned(token: TokenKey, client: ClientIdentity): void {
    this.#bans.check(token, client)
  }

  /** @throws SessionRefusal `full` when the token fills all seats that it may */
  checkSeat(token: TokenKey): void {
    this.#perToken.check(token, this.#options.roster.withToken(token))
  }

  /**
   * Who gives up its seat for somebody with the same token. Where a token fills all seats that it may, this is one whose
   * socket is away: most likely it is the same person, who lost the page and opened it again.
   */
  replacedBy(token: TokenKey): Member | undefined {
    const seated = this.#options.roster.withToken(token)
    if (this.#perToken.hasRoom(token, seated)) return undefined
    return seated.find(({ participant }) => !participant.connected)
  }

  /**
   * Whether a member may go on with this token.
   * @throws SessionRefusal `forbidden`, `full`
   */
  checkRenewal(member: Member, grant: RoomTokenGrant): void {
    const token = tokenKey(grant)
    if (member.token === token) return
    this.checkNotBanned(token, member.participant.identity)
    this.checkSeat(token)
  }

  /** The member is in by this token from now on; what the token says holds for its screen shares and devices too. */
  renew(member: Member, grant: RoomTokenGrant): void {
    member.setToken(tokenKey(grant))
    this.noteUse(member)
    member.terms = termsOf(this.#inSessionTime(grant), member, this.#inSessionTime(this.#options.room))
    for (const child of this.#options.roster.childrenOf(member)) child.terms = termsOfChild(member)
  }

  /** Remembers who came with the token of a member: that decides what its removal bans. */
  noteUse({ token, participant }: Member): void {
    if (token === undefined) return
    const others = this.#options.roster.withToken(token).map((member) => member.participant)
    const connected = others.filter((other) => other.connected)
    this.#bans.noteUse(token, participant, connected)
  }

  /** A moderator removed the member: it does not come back in this session. */
  ban(member: Member): void {
    this.#bans.clientRemoved(member.participant, member.tokens)
  }

  /** Nobody comes in by this token any more. */
  voidToken(token: TokenKey, reason: VoidReason): void {
    this.#bans.voidToken(token, reason)
  }

  /** A time of day as the clock of the session has it. */
  #inSessionTime<T extends { remove_at: number | null }>(terms: T): T {
    const { remove_at } = terms
    return remove_at === null ? terms : { ...terms, remove_at: this.#options.clock.fromWall(remove_at) }
  }
}
