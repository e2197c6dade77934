import type { SteadyClock } from '../../clock.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { RoomTokenGrant } from '../room-token.ts'
import { type TokenKey, tokenKey } from '../token-key.ts'
import type { Member } from './member.ts'
import { termsOf, termsOfChild } from './new-member.ts'
import type { ClientIdentity, Participant } from './participant.ts'
import { SessionBans, type VoidReason } from './session-bans.ts'
import type { SessionRoster } from './session-roster.ts'
import { TokenSeats } from './token-seats.ts'

export interface SessionTokensOptions {
  room: RoomRecord
  roster: SessionRoster
  /** Maximum number of seats that one token holds at the same time. Null for no limit. */
  seatsPerToken: number | null
  clock: SteadyClock
}

/** Decides which tokens admit which clients to a session, and what they grant to members. */
export class SessionTokens {
  readonly #options: SessionTokensOptions
  readonly #perToken: TokenSeats
  readonly #bans = new SessionBans()

  constructor(options: SessionTokensOptions) {
    this.#options = options
    this.#perToken = new TokenSeats(options.seatsPerToken)
  }

  /** Keys of the tokens that members and viewers currently use. */
  get inUse(): TokenKey[] {
    return this.#options.roster.mains().flatMap((member) => member.token ?? [])
  }

  /** Reserves one of the token's seats during a negotiation. {@link release} frees it. */
  reserve(token: TokenKey): void {
    this.#perToken.reserve(token)
  }

  release(token: TokenKey): void {
    this.#perToken.release(token)
  }

  /**
   * Checks that the token is not void, and that neither it nor this client was banned by a removal.
   * @throws Refusal `not_permitted`
   */
  checkNotBanned(token: TokenKey, client: ClientIdentity): void {
    this.#bans.check(token, client)
  }

  /** @throws Refusal `seats_taken` if the token holds its maximum number of seats */
  checkSeat(token: TokenKey): void {
    this.#perToken.check(token, this.#options.roster.withToken(token))
  }

  /**
   * Finds the member who must leave its seat to a newcomer with the same token. If the token holds its maximum number
   * of seats, this is a member whose socket is gone. It is most likely the same person, who lost the page and opened
   * it again.
   */
  replacedBy(token: TokenKey): Member | undefined {
    const seated = this.#options.roster.withToken(token)
    if (this.#perToken.hasRoom(token, seated)) return undefined
    return seated.find(({ participant }) => !participant.connected)
  }

  /**
   * Checks whether a member may continue with this token.
   * @throws Refusal `not_permitted`, `seats_taken`
   */
  checkRenewal(member: Member, grant: RoomTokenGrant): void {
    const token = tokenKey(grant)
    if (member.token === token) return
    this.checkNotBanned(token, member.participant.identity)
    this.checkSeat(token)
  }

  /** Makes this the member's current token. Its terms also apply to the member's screen shares and devices. */
  renew(member: Member, grant: RoomTokenGrant): void {
    member.setToken(tokenKey(grant))
    this.noteUse(member)
    const { roster, room } = this.#options
    member.setTokenTerms(termsOf(this.#inSessionTime(grant), member, this.#inSessionTime(room)))
    for (const child of roster.childrenOf(member)) child.setTokenTerms(termsOfChild(member))
  }

  /** Notes who uses the token of a member. This decides what a later removal bans. */
  noteUse({ token, participant }: Member): void {
    if (token !== undefined) this.#bans.noteUse(token, participant, this.#presentWith(token))
  }

  /** Whether the person behind this client has been in the session. It may come back after a drop, also if it is locked. */
  wasIn(token: TokenKey, client: Participant): boolean {
    return this.#bans.wasIn(token, client, this.#presentWith(token))
  }

  /** A moderator removed the member. It cannot return to this session. */
  ban(member: Member): void {
    this.#bans.clientRemoved(member.participant, member.tokens)
  }

  /** Refuses this token for everybody from now on. */
  voidToken(token: TokenKey, reason: VoidReason): void {
    this.#bans.voidToken(token, reason)
  }

  #presentWith(token: TokenKey): Participant[] {
    const members = this.#options.roster.withToken(token)
    return members.map((member) => member.participant).filter((participant) => participant.connected)
  }

  /** Converts `remove_at` from system time to the time of the session's clock. */
  #inSessionTime<T extends { remove_at: number | null }>(terms: T): T {
    const { remove_at } = terms
    return remove_at === null ? terms : { ...terms, remove_at: this.#options.clock.fromWall(remove_at) }
  }
}
