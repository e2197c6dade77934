import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { type ErrorEntry, Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { SignInRecord, SubscriberRecord } from '../storage/records.ts'
import { type Storage, UniqueViolation } from '../storage/storage.ts'
import {
  type AccessGrant,
  type AccessTokenVerification,
  mintAccessToken,
  verifyAccessToken,
} from './access-tokens.ts'
import type { Addresses } from './addresses.ts'

/** Default lifetime of an access token, and lifetime of every refreshed one. */
const ACCESS_LIFETIME_MS = 2 * 60 * 60 * 1000
/** A refresh token lives this much longer than the access token it came with. */
const REFRESH_MARGIN_MS = 5 * 60 * 1000
const GUEST_LIFETIME_MS = 60 * 60 * 1000

export interface SubscriberTokens {
  token: string
  refresh_token: string
}

/** End users of a project and the tokens they carry. */
export interface Subscribers {
  /**
   * Creates tokens for the subscriber with this reference. Creates the subscriber if it does not exist.
   * @param expiresAt Unix milliseconds; by default two hours from now
   * @throws Refusal `invalid_parameter` when `expiresAt` is in the past
   */
  createTokens(
    projectId: string,
    reference: string,
    options: { expiresAt?: number | undefined; host: string },
  ): Promise<SubscriberTokens & { subscriber_id: string }>
  /**
   * Exchanges a refresh token that has not been used before for new tokens. A refresh token that is used twice was
   * stolen, and the thief may be this caller or the earlier one. All tokens of its sign-in become void then.
   * @param by the subscriber who asks; null for the project itself
   * @throws Refusal `not_a_refresh_token`, `token_expired`
   */
  refresh(
    refreshToken: string,
    options: { host: string; projectId: string; by: string | null },
  ): Promise<SubscriberTokens>
  /**
   * Creates a token that lets a guest see these addresses on behalf of a subscriber. It expires with the subscriber's
   * token at the latest, even if a later time is asked for.
   * @throws Refusal `unrecognized_fabric_addresses` when one is not an address that the subscriber may see
   */
  createGuestToken(
    by: AccessGrant,
    addresses: readonly string[],
    options: { expiresAt?: number | undefined; host: string },
  ): Promise<string>
  /** Verifies any token of an end user. It does not check that the sign-in is still valid: see {@link isSignedIn}. */
  verify(token: string): Promise<AccessTokenVerification>
  /**
   * Whether the sign-in of a token is still valid. It ends with its subscriber and its project, and when it is revoked.
   */
  isSignedIn(grant: AccessGrant): Promise<boolean>
  /**
   * Makes all tokens of a subscriber and of its guests void at once. The project can sign the subscriber in again.
   * @param subscriber the subscriber's id or reference
   * @param actor for the audit log
   * @throws Refusal `provided_id_is_unrecognized`, `does_not_exist` for a reference
   */
  revoke(
    projectId: string,
    subscriber: { id: string } | { reference: string },
    actor: Actor,
  ): Promise<SubscriberRecord>
}

export interface SubscribersOptions {
  storage: Pick<Storage, 'subscribers' | 'signIns' | 'transaction'>
  addresses: Pick<Addresses, 'findAll'>
  /** Key of 64 bytes that signs the tokens. */
  tokenKey: Uint8Array
  clock: Clock
}

export function createSubscribers({ storage, addresses, tokenKey, clock }: SubscribersOptions): Subscribers {
  /** Ids of refresh tokens that a request is using now. */
  const underWay = new Set<string>()

  async function findOrMake(projectId: string, reference: string): Promise<SubscriberRecord> {
    const known = await storage.subscribers.findByReference(projectId, reference)
    if (known) return known
    const made = { id: newId(), project_id: projectId, reference, created_at: clock.now() }
    try {
      await storage.subscribers.insert(made)
      return made
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      // Another request has created the subscriber in the meantime.
      return findOrMake(projectId, reference)
    }
  }

  /** Creates the access token and the refresh token of a sign-in. */
  async function mintPair(signIn: SignInRecord, host: string): Promise<SubscriberTokens> {
    const { project_id, subscriber_id, id: sign_in_id, refresh_token_id, expires_at } = signIn
    const common = { project_id, subscriber_id, sign_in_id }
    const options = { now: clock.now(), host }
    const access = { kind: 'subscriber', id: newId(), expires_at: expires_at - REFRESH_MARGIN_MS } as const
    const refresh = { kind: 'refresh', id: refresh_token_id, expires_at } as const
    const [token, refresh_token] = await Promise.all([
      mintAccessToken({ ...access, ...common }, tokenKey, options),
      mintAccessToken({ ...refresh, ...common }, tokenKey, options),
    ])
    return { token, refresh_token }
  }

  async function readRefreshToken(token: string, projectId: string, by: string | null): Promise<AccessGrant> {
    const verified = await verifyAccessToken(token, tokenKey, clock.now())
    if (!verified.ok && verified.reason === 'expired') {
      throw new Refusal('refresh_token_expired', { attribute: 'refresh_token' })
    }
    const grant = verified.ok && verified.grant.kind === 'refresh' ? verified.grant : undefined
    const isTheirs = grant?.project_id === projectId && (by === null || grant.subscriber_id === by)
    if (!grant || !isTheirs) throw notARefreshToken()
    return grant
  }

  /** @throws Refusal when the token was used before; its sign-in is over then */
  async function rotate({ project_id, subscriber_id, sign_in_id, id }: AccessGrant): Promise<SignInRecord> {
    const now = clock.now()
    const changes = {
      refresh_token_id: newId(),
      expires_at: now + ACCESS_LIFETIME_MS + REFRESH_MARGIN_MS,
    }
    if (await storage.signIns.rotate(project_id, sign_in_id, id, changes)) {
      return { id: sign_in_id, project_id, subscriber_id, created_at: now, ...changes }
    }
    await storage.signIns.delete(project_id, sign_in_id)
    throw notARefreshToken(
      'This refresh token was used before, or revoked. All tokens of its sign-in are void now: get new ones from the server of the project.',
    )
  }

  return {
    async createTokens(projectId, reference, { expiresAt, host }) {
      const now = clock.now()
      const accessExpiresAt = expiresAt ?? now + ACCESS_LIFETIME_MS
      refuseAny(faultsOfExpiry(accessExpiresAt, now))
      const { id } = await findOrMake(projectId, reference)
      const signIn: SignInRecord = {
        id: newId(),
        project_id: projectId,
        subscriber_id: id,
        refresh_token_id: newId(),
        expires_at: accessExpiresAt + REFRESH_MARGIN_MS,
        created_at: now,
      }
      await storage.signIns.insert(signIn)
      // An expired sign-in behaves like one that does not exist, so this is a safe place to delete them.
      await storage.signIns.deleteOfSubscriber(projectId, id, now)
      return { subscriber_id: id, ...(await mintPair(signIn, host)) }
    },

    async refresh(refreshToken, { host, projectId, by }) {
      const grant = await readRefreshToken(refreshToken, projectId, by)
      // Two pages of one browser may refresh at the same moment. That is no theft: the first one succeeds, and nothing
      // becomes void.
      if (underWay.has(grant.id)) {
        throw notARefreshToken('This refresh token is being used by another request at this moment.')
      }
      underWay.add(grant.id)
      try {
        return await mintPair(await rotate(grant), host)
      } finally {
        underWay.delete(grant.id)
      }
    },

    async createGuestToken(by, allowed, { expiresAt, host }) {
      const now = clock.now()
      const { project_id, subscriber_id, sign_in_id } = by
      const viewer = { kind: 'subscriber', id: subscriber_id } as const
      const ids = [...new Set(allowed)]
      const found = await addresses.findAll(project_id, viewer, ids)
      const wanted = expiresAt ?? now + GUEST_LIFETIME_MS
      refuseAny([...(found.length === ids.length ? [] : [UNKNOWN_ADDRESSES]), ...faultsOfExpiry(wanted, now)])
      const expires_at = Math.min(wanted, by.expires_at)
      const grant = { kind: 'guest', id: newId(), project_id, subscriber_id, sign_in_id, expires_at } as const
      return mintAccessToken({ ...grant, allowed_addresses: ids }, tokenKey, { now, host })
    },

    verify: (token) => verifyAccessToken(token, tokenKey, clock.now()),

    isSignedIn: async ({ project_id, sign_in_id }) =>
      (await storage.signIns.find(project_id, sign_in_id)) !== undefined,

    revoke: (projectId, subscriber, actor) =>
      revokeSubscriber(storage, projectId, subscriber, actor, clock.now()),
  }
}

/**
 * Ends all sign-ins of a subscriber.
 * @throws Refusal as {@link Subscribers.revoke} does
 */
export function revokeSubscriber(
  storage: Pick<Storage, 'transaction'>,
  projectId: string,
  subscriber: { id: string } | { reference: string },
  actor: Actor,
  now: number,
): Promise<SubscriberRecord> {
  return storage.transaction(async (tx) => {
    const found =
      'id' in subscriber
        ? await tx.subscribers.find(projectId, subscriber.id)
        : await tx.subscribers.findByReference(projectId, subscriber.reference)
    if (!found) {
      throw 'id' in subscriber
        ? new Refusal('provided_id_is_unrecognized', { attribute: 'subscriber_id' })
        : new Refusal('does_not_exist', { attribute: 'reference' })
    }
    const ended = await tx.signIns.deleteOfSubscriber(projectId, found.id)
    const act = {
      actor,
      action: 'subscriber.revoke',
      projectId,
      target: found.id,
      details: { ended },
    } as const
    await recordAct(tx, act, now)
    return found
  })
}

const notARefreshToken = (message?: string) =>
  new Refusal('not_a_refresh_token', {
    attribute: 'refresh_token',
    message,
  })

const UNKNOWN_ADDRESSES: ErrorEntry = {
  code: 'unrecognized_fabric_addresses',
  attribute: 'allowed_addresses',
}

function faultsOfExpiry(expiresAt: number, now: number): ErrorEntry[] {
  if (expiresAt > now) return []
  const message = 'The time must be in the future.'
  return [{ code: 'invalid_parameter', attribute: 'expire_at', message }]
}

function refuseAny(faults: readonly ErrorEntry[]): void {
  if (faults.length > 0) throw new Refusal(faults)
}
