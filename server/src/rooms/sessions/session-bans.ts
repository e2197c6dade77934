import { isMadeToBeShared, type TokenKey } from '../token-key.ts'
import type { ClientIdentity, Participant, RemovalReason } from './participant.ts'
import { SessionRefusal } from './refusal.ts'

/** Why a token is good for nobody any more. */
export type VoidReason = Exclude<RemovalReason, 'removed'>

const MESSAGES: Readonly<Record<RemovalReason, string>> = {
  removed: 'A moderator removed you from this session. Ask for a new invitation to come back.',
  token_revoked: 'The token was revoked. Ask for a new one.',
  token_reset: 'The conference token is not valid any more. Ask for the new one.',
}

/** @throws SessionRefusal `forbidden`, always */
export function refuseBanned(reason: RemovalReason): never {
  throw new SessionRefusal('forbidden', MESSAGES[reason])
}

/** Who has come with one token. */
interface TokenUse {
  clients: WeakSet<Participant>
  /** Clients that came and were not removed. */
  notRemoved: number
  /** The first browser of our own page that came with it. */
  browserId: string | null
  /** Two people have it for certain: they were there at once, or came with two browsers. */
  isShared: boolean
}

/** Entries of each kind in the memory of one session. The oldest are forgotten first. */
const MEMORY_LIMIT = 10_000

/**
 * Who may not come back into a session. A ban always names the token: another token is a decision of the one who made
 * it. It ends with the session.
 *
 * A removed member's token is banned as a whole when nobody else came with it. Clients that came with it one after the
 * other count as one person who came again, unless their browsers differ. A token that two have, or that is made to be
 * shared, is banned for the removed client and its browser alone.
 */
export class SessionBans {
  readonly #removed = new Map<string, true>()
  readonly #voided = new Map<TokenKey, VoidReason>()
  readonly #uses = new Map<TokenKey, TokenUse>()

  /**
   * @param client who wants to come
   * @throws SessionRefusal `forbidden`
   */
  check(token: TokenKey, client: ClientIdentity): void {
    const voided = this.#voided.get(token)
    if (voided) refuseBanned(voided)
    const names = [token, ...clientNames(token, client)]
    if (names.some((name) => this.#removed.has(name))) refuseBanned('removed')
  }

  /**
   * A client has come, or come back, with a token.
   * @param others who are there with the same token, and connected
   */
  noteUse(token: TokenKey, client: Participant, others: readonly Participant[]): void {
    const { browserId } = client.identity
    const use = this.#uses.get(token) ?? {
      clients: new WeakSet(),
      notRemoved: 0,
      browserId,
      isShared: false,
    }
    if (!use.clients.has(client)) {
      use.clients.add(client)
      use.notRemoved++
    }
    use.isShared ||= others.some((other) => isSomebodyElse(other, client))
    use.isShared ||= use.browserId !== null && browserId !== null && use.browserId !== browserId
    use.browserId ??= browserId
    remember(this.#uses, token, use)
  }

  /**
   * A client was removed.
   * @param tokens all that it had during its stay
   */
  clientRemoved(client: Participant, tokens: readonly TokenKey[]): void {
    for (const token of tokens) {
      const use = this.#uses.get(token)
      if (use?.clients.has(client)) use.notRemoved--
      const nobodyElse = !use?.isShared || use.notRemoved <= 0
      const whole = nobodyElse && !isMadeToBeShared(token)
      for (const name of whole ? [token] : clientNames(token, client.identity)) {
        remember(this.#removed, name, true)
      }
    }
  }

  /** Nobody comes in with this token any more. */
  voidToken(token: TokenKey, reason: VoidReason): void {
    remember(this.#voided, token, reason)
  }
}

function clientNames(token: TokenKey, { clientId, browserId }: ClientIdentity): string[] {
  const client = `${token} client ${clientId}`
  return browserId === null ? [client] : [client, `${token} browser ${browserId}`]
}

/** Two clients at once are two people, but for two tabs of one browser. */
function isSomebodyElse(one: Participant, other: Participant): boolean {
  if (one === other) return false
  return one.identity.browserId === null || one.identity.browserId !== other.identity.browserId
}

function remember<Value>(memory: Map<string, Value>, name: string, value: Value): void {
  // A Map keeps the order of first insertion: what is noted again becomes the newest.
  memory.delete(name)
  memory.set(name, value)
  if (memory.size > MEMORY_LIMIT) for (const oldest of memory.keys()) return void memory.delete(oldest)
}
