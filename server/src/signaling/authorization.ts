import { createHmac } from 'node:crypto'
import { Refusal } from '../errors/refusal.ts'
import { looksLikeAccessToken } from '../fabric/access-tokens.ts'
import { newId } from '../ids.ts'
import { type RoomTokenClaims, verifyRoomToken } from '../rooms/room-token.ts'
import { directionsOf, type MemberRole } from '../rooms/sessions/member-role.ts'
import type { RoomRecord } from '../storage/records.ts'

/**
 * The refusal of a token that does not admit its bearer.
 * @param reason for the person in front of the page
 */
export const signInRefused = (reason: string): Refusal =>
  new Refusal('sign_in_refused', `Authentication failed: ${reason}`)

/**
 * The refusal of a token that this server did not issue, or that is not valid here. Such attempts count against the
 * client's address.
 */
export const wrongToken = (reason: string): Refusal =>
  new Refusal('wrong_token', `Authentication failed: ${reason}`)

/** The refusal of a valid token at a host of another space. It counts as a wrong token. */
export const outsideOfSpace = (): Refusal =>
  wrongToken('the token is of another space. Connect to the host of its own.')

/** The refusal of a token of this server that has expired. */
export const expiredToken = (): Refusal =>
  new Refusal('token_expired', 'Authentication failed: the token has expired. Ask for a new one.')

const COMPLAINT = {
  malformed: 'the token is not a room token. Ask for one at POST /api/video/room_tokens.',
  bad_signature: 'the token was not issued by this server. Ask for a new one here.',
} as const

const NOT_FOR_ROOMS =
  'the tokens of subscribers and guests are for the REST interface and cannot join rooms here. Ask for a room token at POST /api/video/room_tokens.'

/**
 * Verifies a room token and returns its claims.
 * @param mayBeExpired decides from the claims whether an expired token is accepted, for a client that is in the room
 * already
 * @throws Refusal `wrong_token`, `token_expired`
 */
export async function authenticate(
  token: string,
  options: { key: Uint8Array; now: number; mayBeExpired: (claims: RoomTokenClaims) => boolean },
): Promise<RoomTokenClaims> {
  const verification = await verifyRoomToken(token, options.key, options.now)
  if (verification.ok) return verification.claims
  if (verification.reason !== 'expired') {
    if (looksLikeAccessToken(token)) throw wrongToken(NOT_FOR_ROOMS)
    throw wrongToken(COMPLAINT[verification.reason])
  }
  if (options.mayBeExpired(verification.claims)) return verification.claims
  throw expiredToken()
}

/**
 * Checks that a conference token is in force, and returns its claims.
 * @param redeem resolves to undefined when there is no such token
 * @throws Refusal `sign_in_refused`
 */
export async function authenticateToConference(
  redeem: () => Promise<RoomTokenClaims | undefined>,
): Promise<RoomTokenClaims> {
  const claims = await redeem()
  if (claims) return claims
  throw signInRefused('there is no such conference token any more. Ask for the present one.')
}

/**
 * Second part of `protocol`. The client compares it with `authorization.signature`. It is hexadecimal, so it has no
 * underscore.
 */
export function signatureOf(claims: RoomTokenClaims, key: Uint8Array): string {
  return createHmac('sha256', key).update(`protocol/${claims.id}`).digest('hex').slice(0, 32)
}

/** Name of a client session. The session is found by it after its socket dropped (docs/protocol.md, section 2.2). */
export function newProtocol(signature: string, projectId: string): string {
  return `signalwire_${signature}_${newId()}_${projectId}`
}

type Direction = 'none' | 'receive' | 'both'

/** Directions in which a kind of media may flow (docs/protocol.md, section 2.1). */
function direction(maySend: boolean, mayReceive: boolean): Direction {
  if (maySend) return 'both'
  return mayReceive ? 'receive' : 'none'
}

type Role = Pick<MemberRole, 'joinAs' | 'mediaAllowed' | 'mediaReceived'>

const roleOfToken = ({ join_as, media_allowed }: RoomTokenClaims): Role => ({
  joinAs: join_as,
  mediaAllowed: media_allowed,
  mediaReceived: media_allowed,
})

const toSeconds = (timeMs: number | null) => (timeMs === null ? null : timeMs / 1000)

/**
 * The `authorization` object of a connect result.
 * @param role what a moderator made of the member; null while its token decides
 */
export function authorizationObject(
  claims: RoomTokenClaims,
  room: RoomRecord | null,
  session: { signature: string; scopeId: string; userName: string },
  role: MemberRole | null,
) {
  const { joinAs, mediaAllowed, mediaReceived } = role ?? roleOfToken(claims)
  const ways = directionsOf(
    { mediaAllowed, mediaReceived },
    { isMain: true, isAudience: joinAs === 'audience' },
  )
  return {
    type: 'video',
    project: claims.project_id,
    project_id: claims.project_id,
    scopes: ['video'],
    scope_id: session.scopeId,
    resource: claims.id,
    join_as: joinAs,
    user_name: session.userName,
    room: {
      name: claims.room_name,
      display_name: room?.display_name ?? claims.room_display_name ?? claims.room_name,
      scopes: role ? [...role.permissions] : claims.permissions,
      meta: room?.meta ?? claims.room_meta ?? {},
    },
    signature: session.signature,
    media_allowed: mediaAllowed,
    audio_allowed: direction(ways.maySendAudio, ways.mayReceiveAudio),
    video_allowed: direction(ways.maySendVideo, ways.mayReceiveVideo),
    join_from: toSeconds(claims.join_from),
    join_until: toSeconds(claims.join_until),
    remove_at: toSeconds(claims.remove_at),
    remove_after_seconds_elapsed: claims.remove_after_seconds_elapsed,
    auto_create_room: claims.auto_create_room,
    // 0 tells clients that the token never expires.
    expires_at: Number.isFinite(claims.expires_at) ? Math.floor(claims.expires_at / 1000) : 0,
    meta: role?.meta ?? claims.meta ?? {},
  }
}
