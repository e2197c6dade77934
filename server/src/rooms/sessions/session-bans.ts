import { Refusal } from '../../errors/refusal.ts'
import { isMadeToBeShared, type TokenKey } from '../token-key.ts'
import type { ClientIdentity, Participant, RemovalReason } from './participant.ts'

/** Why a token is void for everybody. */
export type VoidReason = Exclude<RemovalReason, 'removed'>

const MESSAGES: Readonly<Record<RemovalReason, string>> = {
  removed: 'A moderator removed you from this session. Ask for a new invitation to come back.',
  token_revoked: 'The token was revoked. Ask for a new one.',
  token_reset: 'The conference token is not valid any more. Ask for the new one.',
}

/** @throws Refusal `not_permitted`, always */
export function refuseBanned(reason: RemovalReason): never {
  throw new Refusal('not_permitted', MESSAGES[reason])
}

/** The clients that have joined with one token. */
interface TokenUse {
  clients: WeakSet<Participant>
  /** Number of clients that joined and were not removed. */
  notRemoved: number
  /** Ids of the browsers that joined with it on this server's own page. */
  browsers: Set<string>
  /** True if two people certainly have it: they were present at the same time, or joined with two browsers. */
  isShared: boolean
}

/** Maximum number of entries of each kind per session. The oldest are dropped first. */
const MEMORY_LIMIT = 10_000

/**
 * Decides who may not return to a session. A ban always names the token: whoever issues another token decides anew.
 * Bans end with the session.
 *
 * A removed member's token is banned for everybody if nobody else joined with it. Clients that joined with it one
 * after the other count as one person, unless their browsers differ. If two people have the token, or it is made to
 * be shared, only the removed client and its browser are banned.
 */
export class SessionBans {
  readonly #removed = new Map<string, true>()
  readonly #voided = new Map<TokenKey, VoidReason>()
  readonly #uses = new Map<TokenKey, TokenUse>()

  /**
   * @param client the client that wants to join
   * @throws Refusal `not_permitted`
   */
  check(token: TokenKey, client: ClientIdentity): void {
    const voided = this.#voided.get(token)
    if (voided) refuseBanned(voided)
    const names = [token, ...clientNames(token, client)]
    if (names.some((name) => this.#removed.has(name))) refuseBanned('removed')
  }

  /**
   * Notes that a client joined, or came back, with a token.
   * @param others connected participants who are present with the same token
   */
  noteUse(token: TokenKey, client: Participant, others: readonly Participant[]): void {
    const { browserId } = client.identity
    const use = this.#uses.get(token) ?? {
      clients: new WeakSet(),
      notRemoved: 0,
      browsers: new Set(),
      isShared: false,
    }
    if (!use.clients.has(client)) {
      use.clients.add(client)
      use.notRemoved++
    }
    use.isShared ||= others.some((other) => isSomebodyElse(other, client))
    if (browserId !== null) {
      use.isShared ||= use.browsers.size > 0 && !use.browsers.has(browserId)
      use.browsers.add(browserId)
    }
    remember(this.#uses, token, use)
  }

  /**
   * Whether the person behind this client has been in the session with this token. A new client counts as the same
   * person only where nothing says that it is somebody else, see {@link SessionBans}.
   * @param others connected participants who are present with the same token
   */
  wasIn(token: TokenKey, client: Participant, others: readonly Participant[]): boolean {
    const use = this.#uses.get(token)
    if (!use) return false
    const { browserId } = client.identity
    if (use.clients.has(client)) return true
    if (browserId !== null && use.browsers.size > 0) return use.browsers.has(browserId)
    return !use.isShared && !isMadeToBeShared(token) && !others.some((other) => isSomebodyElse(other, client))
  }

  /**
   * Bans a removed client.
   * @param tokens all tokens that it had during its stay
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

  /** Refuses the token for everybody from now on. */
  voidToken(token: TokenKey, reason: VoidReason): void {
    remember(this.#voided, token, reason)
  }
}

function clientNames(token: TokenKey, { clientId, browserId }: ClientIdentity): string[] {
  const client = `${token} client ${clientId}`
  return browserId === null ? [client] : [client, `${token} browser ${browserId}`]
}

/** Two clients at the same time count as two people, except two tabs of one browser. */
function isSomebodyElse(one: Participant, other: Participant): boolean {
  if (one === other) return false
  return one.identity.browserId === null || one.identity.browserId !== other.identity.browserId
}

function remember<Value>(memory: Map<string, Value>, name: string, value: Value): void {
  // A Map keeps the order of first insertion. Deleting first makes the entry the newest.
  memory.delete(name)
  memory.set(name, value)
  if (memory.size > MEMORY_LIMIT) for (const oldest of memory.keys()) return void memory.delete(oldest)
}
