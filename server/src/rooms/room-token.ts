import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Field } from '../resources/fields.ts'
import { defaultsOf } from '../resources/records.ts'
import { type RoomTokenSettings, roomTokenFields } from '../resources/room-token.ts'

/**
 * Room tokens: JWTs (RFC 7519), signed with HS512, that admit one user to one room. The protected header carries what
 * the browser client reads (docs/protocol.md, sections 1.1 and 1.2): `typ`, and `ch`, the host to connect to.
 */

/** The customer's settings for the user and the room. Times are Unix milliseconds. */
export interface RoomTokenGrant extends RoomTokenSettings {
  /** The token's own id, a UUID. */
  id: string
  project_id: string
  issued_at: number
  /** Hash of the conference token that this member joins with. Never part of a room token. */
  conference_token_hash?: string
  /** Whether a moderator let the member in from the waiting room. Never part of a room token. */
  isLetIn?: boolean
}

/** Default settings of a room token. */
export const ROOM_TOKEN_DEFAULTS = defaultsOf(roomTokenFields)

/** The content of a room token whose signature is valid. */
export interface RoomTokenClaims extends RoomTokenGrant {
  /** Unix milliseconds, on a whole second; see {@link roomTokenExpiry}. Infinite for a conference token. */
  expires_at: number
}

/** How long a token without a time window can be used to join, in milliseconds. */
export const ROOM_TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1000

/**
 * When a token stops being accepted, in Unix milliseconds: 24 hours after it can first be used, or at the end of its
 * own window if that is later. Rooms enforce the window itself, with their own refusals. So a member who is in the
 * room after `join_until` can still use its token to resume after a dropped socket.
 */
export function roomTokenExpiry(
  grant: Pick<RoomTokenGrant, 'issued_at' | 'join_from' | 'join_until' | 'remove_at'>,
): number {
  const usableFrom = Math.max(grant.issued_at, grant.join_from ?? 0)
  return Math.max(usableFrom + ROOM_TOKEN_LIFETIME_MS, grant.join_until ?? 0, grant.remove_at ?? 0)
}

/** The settings, each with the claim that carries it. */
const carried = Object.entries<Field & { claim: string }>(roomTokenFields)

/** JSON Schema of a claim. JWT dates are numbers. */
function claimSchema({ column, answer, default: fallback, claimAlways }: Field): TSchema {
  const plain = column === 'moment' ? Type.Number() : Type.Unsafe(answer)
  const schema = fallback === null && claimAlways ? Type.Union([plain, Type.Null()]) : plain
  return claimAlways ? schema : Type.Optional(schema)
}

/**
 * The payload on the wire. Claim names are the published ones. Claims that only Parley has are left out when they
 * hold the default.
 */
const Payload = Type.Object({
  iat: Type.Number(),
  exp: Type.Number(),
  jti: Type.String(),
  /** Project id. */
  sub: Type.String(),
  ...Object.fromEntries(carried.map(([, field]) => [field.claim, claimSchema(field)])),
})

interface Payload extends JWTPayload {
  iat: number
  exp: number
  jti: string
  sub: string
}

const payloadCheck = Compile(Payload)

/** JWT dates are seconds; fractions keep the milliseconds (RFC 7519, section 2, NumericDate). */
const toSeconds = (timeMs: number) => timeMs / 1000
const toMilliseconds = (seconds: number) => Math.round(seconds * 1000)

function encode(grant: RoomTokenGrant): Payload {
  const payload: Payload = {
    // `iat` and `exp` are whole seconds, because most other JWT libraries expect that.
    iat: Math.floor(toSeconds(grant.issued_at)),
    exp: Math.ceil(toSeconds(roomTokenExpiry(grant))),
    jti: grant.id,
    sub: grant.project_id,
  }
  const said: Record<string, unknown> = { ...grant, ...(grant.join_as === 'audience' && { permissions: [] }) }
  for (const [name, { claim, claimAlways, column, default: fallback }] of carried) {
    const value = said[name]
    if (value === fallback && !claimAlways) continue
    payload[claim] = column === 'moment' && typeof value === 'number' ? toSeconds(value) : value
  }
  return payload
}

function decode(payload: Payload): RoomTokenClaims {
  const said: Record<string, unknown> = {}
  for (const [name, { claim, column, default: fallback }] of carried) {
    const value = payload[claim] ?? fallback
    said[name] = column === 'moment' && typeof value === 'number' ? toMilliseconds(value) : value
  }
  return {
    // The payload was checked against the schema, which is built from the same fields.
    ...(said as unknown as RoomTokenSettings),
    id: payload.jti,
    project_id: payload.sub,
    issued_at: toMilliseconds(payload.iat),
    expires_at: toMilliseconds(payload.exp),
  }
}

/** HS512 needs a key at least as long as its output (RFC 7518, section 3.2). */
const SIGNING_KEY_MIN_BYTES = 64

/**
 * Creates the token in the response of `POST /api/video/room_tokens`.
 * @param signingKey at least 64 random bytes
 * @param options.host address of the WebSocket, as `host`, `host:port` or with a path; the client adds `wss://` in
 * front
 * @throws RangeError when the key is too short
 */
export async function mintRoomToken(
  grant: RoomTokenGrant,
  signingKey: Uint8Array,
  options: { host: string },
): Promise<string> {
  if (signingKey.byteLength < SIGNING_KEY_MIN_BYTES) {
    throw new RangeError(`room tokens need a signing key of ${SIGNING_KEY_MIN_BYTES} bytes or more`)
  }
  return new SignJWT({ ...encode(grant) })
    .setProtectedHeader({ alg: 'HS512', typ: 'VRT', ch: options.host })
    .sign(signingKey)
}

export type RoomTokenVerification =
  | { ok: true; claims: RoomTokenClaims }
  /** Not a room token: not a JWT, another kind of token, or without the required claims. */
  | { ok: false; reason: 'malformed' }
  /** Not signed with this key. */
  | { ok: false; reason: 'bad_signature' }
  /** Valid, but too old to join with. A member that is already in its room may still resume with it. */
  | { ok: false; reason: 'expired'; claims: RoomTokenClaims }

/** Far above the longest token that can be created: two metas of 2,000 characters and all permissions. */
const TOKEN_MAX_CHARACTERS = 65_536

/**
 * Checks the signature, then the shape, then the expiry of a token. Does not check time windows.
 * @param now Unix milliseconds
 * @returns never rejects for anything that a client can send
 */
export async function verifyRoomToken(
  token: string,
  signingKey: Uint8Array,
  now: number,
): Promise<RoomTokenVerification> {
  if (token.length > TOKEN_MAX_CHARACTERS) return { ok: false, reason: 'malformed' }
  let payload: unknown
  try {
    // The expiry is checked below, so that the claims of an expired token are known.
    const currentDate = new Date(0)
    payload = (await jwtVerify(token, signingKey, { algorithms: ['HS512'], typ: 'VRT', currentDate })).payload
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return { ok: false, reason: 'bad_signature' }
    if (error instanceof errors.JOSEError) return { ok: false, reason: 'malformed' }
    throw error
  }
  if (!payloadCheck.Check(payload)) return { ok: false, reason: 'malformed' }
  const claims = decode(payload as Payload)
  return claims.expires_at > now ? { ok: true, claims } : { ok: false, reason: 'expired', claims }
}
