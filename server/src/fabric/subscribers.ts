import type { Clock } from '../clock.ts'
import { type ErrorEntry, ParleyError } from '../errors/parley-error.ts'
import { newId } from '../ids.ts'
import type { SubscriberRecord } from '../storage/records.ts'
import { type Storage, UniqueViolation } from '../storage/storage.ts'
import { mintAccessToken, verifyAccessToken } from './access-tokens.ts'
import type { Addresses } from './addresses.ts'

/** How long an access token lives unless said otherwise, and every refreshed one. */
const ACCESS_LIFETIME_MS = 2 * 60 * 60 * 1000
/** A refresh token outlives the access token it came with by this. */
const REFRESH_MARGIN_MS = 5 * 60 * 1000
const GUEST_LIFETIME_MS = 60 * 60 * 1000

export interface SubscriberTokens {
  token: string
  refresh_token: string
}

/** End users of a project and the tokens they carry. */
export interface Subscribers {
  /**
   * Tokens for the subscriber of that reference, who is made if there is none yet.
   * @param expiresAt Unix milliseconds; two hours ahead unless given
   * @throws ParleyError `invalid_parameter` when that is past
   */
  createTokens(
    projectId: string,
    reference: string,
    options: { expiresAt?: number | undefined; host: string },
  ): Promise<SubscriberTokens & { subscriber_id: string }>
  /** @throws ParleyError `not_a_refresh_token`, `token_expired` */
  refresh(refreshToken: string, options: { host: string; projectId: string }): Promise<SubscriberTokens>
  /**
   * A token with which a stranger may see these addresses, on behalf of a subscriber.
   * @throws ParleyError `unrecognized_fabric_addresses` where one is not an address of the project
   */
  createGuestToken(
    by: { projectId: string; subscriberId: string },
    addresses: readonly string[],
    options: { expiresAt?: number | undefined; host: string },
  ): Promise<string>
}

export function createSubscribers(options: {
  storage: Pick<Storage, 'subscribers'>
  addresses: Addresses
  /** 64 bytes. */
  tokenKey: Uint8Array
  clock: Clock
}): Subscribers {
  const { storage, addresses, tokenKey, clock } = options

  async function findOrMake(projectId: string, reference: string): Promise<SubscriberRecord> {
    const known = await storage.subscribers.findByReference(projectId, reference)
    if (known) return known
    const made = { id: newId(), project_id: projectId, reference, created_at: clock.now() }
    try {
      await storage.subscribers.insert(made)
      return made
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error
      // Somebody was faster.
      return findOrMake(projectId, reference)
    }
  }

  async function mintPair(
    subject: { project_id: string; subscriber_id: string },
    expiresAt: number,
    host: string,
  ): Promise<SubscriberTokens> {
    const now = clock.now()
    const refreshExpiresAt = expiresAt + REFRESH_MARGIN_MS
    const [token, refresh_token] = await Promise.all([
      mintAccessToken({ kind: 'subscriber', ...subject }, tokenKey, { now, expiresAt, host }),
      mintAccessToken({ kind: 'refresh', ...subject }, tokenKey, { now, expiresAt: refreshExpiresAt, host }),
    ])
    return { token, refresh_token }
  }

  return {
    async createTokens(projectId, reference, { expiresAt = clock.now() + ACCESS_LIFETIME_MS, host }) {
      refuseAny(faultsOfExpiry(expiresAt, clock.now()))
      const { id } = await findOrMake(projectId, reference)
      return {
        subscriber_id: id,
        ...(await mintPair({ project_id: projectId, subscriber_id: id }, expiresAt, host)),
      }
    },

    async refresh(refreshToken, { host, projectId }) {
      const verified = await verifyAccessToken(refreshToken, tokenKey, clock.now())
      if (!verified.ok && verified.reason === 'expired') {
        throw new ParleyError('invalid', { code: 'token_expired', attribute: 'refresh_token' })
      }
      const isOurs =
        verified.ok && verified.grant.kind === 'refresh' && verified.grant.project_id === projectId
      if (!isOurs)
        throw new ParleyError('invalid', { code: 'not_a_refresh_token', attribute: 'refresh_token' })
      const { project_id, subscriber_id } = verified.grant
      return mintPair({ project_id, subscriber_id }, clock.now() + ACCESS_LIFETIME_MS, host)
    },

    async createGuestToken(by, allowed, { expiresAt = clock.now() + GUEST_LIFETIME_MS, host }) {
      const found = await addresses.findAll(by.projectId, allowed)
      const isAllKnown = found.length === new Set(allowed).size
      refuseAny([...(isAllKnown ? [] : [UNKNOWN_ADDRESSES]), ...faultsOfExpiry(expiresAt, clock.now())])
      const grant = {
        kind: 'guest',
        project_id: by.projectId,
        subscriber_id: by.subscriberId,
        allowed_addresses: [...new Set(allowed)],
      } as const
      return mintAccessToken({ ...grant }, tokenKey, { now: clock.now(), expiresAt, host })
    },
  }
}

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
  if (faults.length > 0) throw new ParleyError('invalid', faults)
}
