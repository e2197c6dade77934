import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Field } from '../resources/fields.ts'
import { defaultsOf } from '../resources/records.ts'
import { type RoomTokenSettings, roomTokenFields } from '../resources/room-token.ts'

/**
 * Room tokens: JWTs (RFC 7519) signed with HS512, that let one user into one room. The protected header carries what
 * the browser client looks for (docs/protocol.md, sections 1.1 and 1.2): `typ` and `ch`, the host to connect to.
 */

/** What the customer decided about the user and the room. Times are Unix milliseconds. */
export interface RoomTokenGrant extends RoomTokenSettings {
  /** UUID, the token's own. */
  id: string
  project_id: string
  issued_at: number
  /** Hash of the conference token that this member joins with. Never part of a room token. */
  conference_token_hash?: string
}

/** What a room token says unless it is told otherwise. */
export const ROOM_TOKEN_DEFAULTS = defaultsOf(roomTokenFields)

/** What a room token says once its signature was found good. */
export interface RoomTokenClaims extends RoomTokenGrant {
  /** Unix milliseconds, on a whole second; see {@link roomTokenExpiry}. Infinite for somebody with a conference token. */
  expires_at: number
}

/** How long a token without any window can be used to join, in milliseconds. */
export const ROOM_TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1000

/**
 * When a token stops being accepted, in Unix milliseconds: 24 hours after it can first be used, or at the end of its
 * own window where that is later. The window itself is enforced by the rooms, with refusals of its own, so that the
 * token of a member who is in the room beyond `join_until` still lets it resume after a dropped socket.
 */
export function roomTokenExpiry(
  grant: Pick<RoomTokenGrant, 'issued_at' | 'join_from' | 'join_until' | 'remove_at'>,
): number {
  const usableFrom = Math.max(grant.issued_at, grant.join_from ?? 0)
  return Math.max(usableFrom + ROOM_TOKEN_LIFETIME_MS, grant.join_until ?? 0, grant.remove_at ?? 0)
}

/** The fields and the claims that carry them. */
const carried = Object.entries<Field & { claim: string }>(roomTokenFields)

/** A claim in JSON Schema. JWT dates are numbers. */
function claimSchema({ column, answer, default: fallback, claimAlways }: Field): TSchema {
  const plain = column === 'moment' ? Type.Number() : Type.Unsafe(answer)
  const schema = fallback === null && claimAlways ? Type.Union([plain, Type.Null()]) : plain
  return claimAlways ? schema : Type.Optional(schema)
}

/** The payload on the wire. Names are as published; claims of ours are left out where they say the default. */
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
    // The two that other JWT libraries read are whole seconds, as most of them expect.
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
    // The payload has been checked by the schema that is made from the same fields.
    ...(said as unknown as RoomTokenSettings),
    id: payload.jti,
    project_id: payload.sub,
    issued_at: toMilliseconds(payload.iat),
    expires_at: toMilliseconds(payload.exp),
  }
}

/** HS512 wants a key at least as long as its output (RFC 7518, section 3.2). */
const SIGNING_KEY_MIN_BYTES = 64

/**
 * Makes the token that `POST /api/video/room_tokens` answers with.
 * @param signingKey at least 64 random bytes
 * @param options.host where the WebSocket is, as `host`, `host:port` or with a path; the client puts `wss://` in front
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
  /** Not a room token at all: not a JWT, another kind of token, or without the claims it must have. */
  | { ok: false; reason: 'malformed' }
  /** Not signed with this key. */
  | { ok: false; reason: 'bad_signature' }
  /** Ours, but too old to join with. A member that is in its room already may still resume with it. */
  | { ok: false; reason: 'expired'; claims: RoomTokenClaims }

/** Far more than the longest token that can be minted: two metas of 2,000 characters and all permissions. */
const TOKEN_MAX_CHARACTERS = 65_536

/**
 * Checks the signature, then the shape, then the expiry of a token. Time windows are not judged here.
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
    // The expiry is judged below, so that the claims of an expired token are known.
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
