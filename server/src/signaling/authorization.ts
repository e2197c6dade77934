import { createHmac } from 'node:crypto'
import { newId } from '../ids.ts'
import { type RoomTokenClaims, verifyRoomToken } from '../rooms/room-token.ts'
import type { RoomRecord } from '../storage/records.ts'

/** A token that does not let its bearer in; the message is for the person in front of the page. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError'
}

/** A token that is none of ours, or not good here. Guesses count against their address. */
export class WrongToken extends AuthenticationError {}

/** A good token at a host where it does not work. */
export class OutsideOfSpace extends WrongToken {
  constructor() {
    super('Authentication failed: the token is of another space. Connect to the host of its own.')
  }
}

/** A token of ours that is too old. */
export class ExpiredToken extends AuthenticationError {
  constructor() {
    super('Authentication failed: the token has expired. Ask for a new one.')
  }
}

const COMPLAINT = {
  malformed: 'the token is not a room token. Ask for one at POST /api/video/room_tokens.',
  bad_signature: 'the token was not issued by this server. Ask for a new one here.',
} as const

/**
 * What a token says, if it is ours.
 * @param mayBeExpired for somebody who is in the room already: decides it from what an expired token says
 * @throws AuthenticationError
 */
export async function authenticate(
  token: string,
  options: { key: Uint8Array; now: number; mayBeExpired: (claims: RoomTokenClaims) => boolean },
): Promise<RoomTokenClaims> {
  const verification = await verifyRoomToken(token, options.key, options.now)
  if (verification.ok) return verification.claims
  if (verification.reason !== 'expired') {
    throw new WrongToken(`Authentication failed: ${COMPLAINT[verification.reason]}`)
  }
  if (options.mayBeExpired(verification.claims)) return verification.claims
  throw new ExpiredToken()
}

/**
 * What a conference token says, if it is one that is in force.
 * @param redeem undefined where there is no such token
 * @throws AuthenticationError
 */
export async function authenticateToConference(
  redeem: () => Promise<RoomTokenClaims | undefined>,
): Promise<RoomTokenClaims> {
  const claims = await redeem()
  if (claims) return claims
  throw new AuthenticationError(
    'Authentication failed: there is no such conference token any more. Ask for the present one.',
  )
}

/** Second part of `protocol`; the client compares it with `authorization.signature`. Hexadecimal: no underscore. */
export function signatureOf(claims: RoomTokenClaims, key: Uint8Array): string {
  return createHmac('sha256', key).update(`protocol/${claims.id}`).digest('hex').slice(0, 32)
}

/** Name of a client session, by which it is found again after its socket dropped (docs/protocol.md, section 2.2). */
export function newProtocol(signature: string, projectId: string): string {
  return `signalwire_${signature}_${newId()}_${projectId}`
}

type Direction = 'none' | 'receive' | 'both'

/** Which way a kind of media may go (docs/protocol.md, section 2.1). */
function direction(claims: RoomTokenClaims, without: RoomTokenClaims['media_allowed']): Direction {
  if (claims.media_allowed === without) return 'none'
  return claims.join_as === 'audience' ? 'receive' : 'both'
}

const toSeconds = (timeMs: number | null) => (timeMs === null ? null : timeMs / 1000)

/** The `authorization` object of a connect result. */
export function authorizationObject(
  claims: RoomTokenClaims,
  room: RoomRecord | null,
  session: { signature: string; scopeId: string; userName: string },
) {
  return {
    type: 'video',
    project: claims.project_id,
    project_id: claims.project_id,
    scopes: ['video'],
    scope_id: session.scopeId,
    resource: claims.id,
    join_as: claims.join_as,
    user_name: session.userName,
    room: {
      name: claims.room_name,
      display_name: room?.display_name ?? claims.room_display_name ?? claims.room_name,
      scopes: claims.permissions,
      meta: room?.meta ?? claims.room_meta ?? {},
    },
    signature: session.signature,
    media_allowed: claims.media_allowed,
    audio_allowed: direction(claims, 'video-only'),
    video_allowed: direction(claims, 'audio-only'),
    join_from: toSeconds(claims.join_from),
    join_until: toSeconds(claims.join_until),
    remove_at: toSeconds(claims.remove_at),
    remove_after_seconds_elapsed: claims.remove_after_seconds_elapsed,
    auto_create_room: claims.auto_create_room,
    // To clients, 0 says never.
    expires_at: Number.isFinite(claims.expires_at) ? Math.floor(claims.expires_at / 1000) : 0,
    meta: claims.meta ?? {},
  }
}
