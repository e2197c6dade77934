import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import type { Storage } from '../storage/storage.ts'
import { unrecognized } from './changes.ts'
import type { LiveSessions } from './live-sessions.ts'
import { mintRoomToken, type RoomTokenGrant, roomTokenExpiry, verifyRoomToken } from './room-token.ts'
import { expiryOfRoomTokenId, newRoomTokenId } from './room-token-id.ts'
import { roomTokenKey } from './token-key.ts'

/** Minimum time that a revocation is stored, in milliseconds. Each server must see it before it is deleted. */
const KEPT_MS = 60 * 60 * 1000

/** A room token: the token itself, or its id (`jti`). */
export type RoomTokenReference = { token: string } | { id: string }

/** The room tokens of all projects. They are signed, and only revoked ones are stored. */
export interface RoomTokens {
  /** @param host see `mintRoomToken` */
  create(grant: Omit<RoomTokenGrant, 'id'>, host: string): Promise<string>
  /**
   * Revokes a token before it expires, and removes members who are in a session with it. Revoking it again changes
   * nothing.
   * @param actor who asks for it, for the audit log
   * @returns the token's id
   * @throws Refusal `invalid_parameter` if the value is not a room token, `provided_id_is_unrecognized` for a
   * token or id that this server did not make for this project
   */
  revoke(projectId: string, reference: RoomTokenReference, actor: Actor): Promise<string>
}

export interface RoomTokensOptions {
  storage: Storage
  clock: Clock
  /** Key that signs the tokens. 64 bytes. */
  key: Uint8Array
  /** Absent outside of the server process. The server then finds revocations by itself. */
  sessions?: Pick<LiveSessions, 'voidToken' | 'expectJoin'>
}

export function createRoomTokens({ storage, clock, key, sessions }: RoomTokensOptions): RoomTokens {
  async function find(projectId: string, reference: RoomTokenReference) {
    if ('token' in reference) return tokenOf(projectId, reference.token, key, clock.now())
    const id = reference.id.toLowerCase()
    const expiresAt = expiryOfRoomTokenId(id, projectId, key)
    if (expiresAt === null) throw unrecognized()
    return { id, expiresAt }
  }

  return {
    create(grant, host) {
      sessions?.expectJoin()
      const id = newRoomTokenId(grant.project_id, roomTokenExpiry(grant), key)
      return mintRoomToken({ ...grant, id }, key, { host })
    },

    async revoke(projectId, reference, actor) {
      const { id, expiresAt } = await find(projectId, reference)
      const now = clock.now()
      const record = { project_id: projectId, token_id: id, expires_at: expiresAt, created_at: now }
      await storage.transaction(async (tx) => {
        await tx.revokedRoomTokens.deleteExpired(now, now - KEPT_MS)
        if (!(await tx.revokedRoomTokens.insert(record))) return
        await recordAct(tx, { actor, action: 'room_token.revoke', projectId, target: id }, now)
      })
      await sessions?.voidToken(projectId, roomTokenKey(id), 'token_revoked')
      return id
    },
  }
}

/** Accepts expired tokens: somebody who joined with one in time may still be in a session. */
async function tokenOf(projectId: string, token: string, key: Uint8Array, now: number) {
  const verified = await verifyRoomToken(token, key, now)
  if (!verified.ok && verified.reason === 'malformed') {
    const message = 'The value must be a room token, as the creation of one answers it.'
    throw new Refusal('invalid_parameter', { attribute: 'token', message })
  }
  const claims = 'claims' in verified ? verified.claims : null
  if (claims?.project_id !== projectId) {
    throw new Refusal('provided_id_is_unrecognized', { attribute: 'token' })
  }
  return { id: claims.id, expiresAt: claims.expires_at }
}
