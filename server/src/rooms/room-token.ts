import { errors, jwtVerify, SignJWT } from 'jose'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Meta } from '../storage/records.ts'

/**
 * Room tokens: JWTs (RFC 7519) signed with HS512, that let one user into one room. The protected header carries what
 * the browser client looks for (docs/protocol.md, sections 1.1 and 1.2): `typ` and `ch`, the host to connect to.
 */

/** What the customer decided about the user and the room. Times are Unix milliseconds. */
export interface RoomTokenGrant {
  /** UUID, the token's own. */
  id: string
  project_id: string
  room_name: string
  /** null: the user gets a random name at each connect. */
  user_name: string | null
  /** As the customer wrote them, aliases included; empty for an audience. */
  permissions: readonly string[]
  join_as: 'member' | 'audience'
  media_allowed: 'all' | 'audio-only' | 'video-only'
  auto_create_room: boolean
  join_from: number | null
  join_until: number | null
  remove_at: number | null
  remove_after_seconds_elapsed: number | null
  join_audio_muted: boolean
  join_video_muted: boolean
  end_room_session_on_leave: boolean
  /** The following three matter only where this token's join creates the room. */
  enable_room_previews: boolean
  room_display_name: string | null
  sync_audio_video: boolean
  room_meta: Meta | null
  /** The member's own. */
  meta: Meta | null
  issued_at: number
  /**
   * Of somebody who came with a conference token: by what that is found again. Never part of a room token.
   */
  conference_token_hash?: string
}

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

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) =>
  Type.Union([type, Type.Null()])
const JsonObject = Type.Record(Type.String(), Type.Unknown())

/** The payload on the wire: names as published; ours, below, are left out where they say the default. */
const Payload = Type.Object({
  iat: Type.Number(),
  exp: Type.Number(),
  jti: Type.String(),
  /** Project id. */
  sub: Type.String(),
  /** User name. */
  u: Nullable(Type.String()),
  /** Room name. */
  r: Type.String(),
  /** Permissions ("scopes"). */
  s: Type.Array(Type.String()),
  /** `auto_create_room`. */
  acr: Type.Boolean(),
  /** `join_from`. */
  jf: Nullable(Type.Number()),
  /** `join_until`. */
  ju: Nullable(Type.Number()),
  /** `remove_at`. */
  rat: Nullable(Type.Number()),
  /** `remove_after_seconds_elapsed`. */
  rse: Nullable(Type.Number()),
  /** `join_as`. */
  ja: Type.Optional(Type.Union([Type.Literal('member'), Type.Literal('audience')])),
  /** `media_allowed`. */
  ma: Type.Optional(
    Type.Union([Type.Literal('all'), Type.Literal('audio-only'), Type.Literal('video-only')]),
  ),
  /** `join_audio_muted`. */
  jam: Type.Optional(Type.Boolean()),
  /** `join_video_muted`. */
  jvm: Type.Optional(Type.Boolean()),
  /** `end_room_session_on_leave`. */
  eol: Type.Optional(Type.Boolean()),
  /** `enable_room_previews`. */
  erp: Type.Optional(Type.Boolean()),
  /** `sync_audio_video`. */
  sav: Type.Optional(Type.Boolean()),
  /** `room_display_name`. */
  rdn: Type.Optional(Type.String()),
  /** `room_meta`. */
  rm: Type.Optional(JsonObject),
  /** `meta`. */
  m: Type.Optional(JsonObject),
})
type Payload = Static<typeof Payload>

const payloadCheck = Compile(Payload)

/** JWT dates are seconds; fractions keep the milliseconds (RFC 7519, section 2, NumericDate). */
const toSeconds = (timeMs: number) => timeMs / 1000
const toMilliseconds = (seconds: number) => Math.round(seconds * 1000)
const orNull = <T, R>(value: T | null, convert: (value: T) => R) => (value === null ? null : convert(value))

function encode(grant: RoomTokenGrant): Payload {
  const isAudience = grant.join_as === 'audience'
  return {
    // The two that other JWT libraries read are whole seconds, as most of them expect.
    iat: Math.floor(toSeconds(grant.issued_at)),
    exp: Math.ceil(toSeconds(roomTokenExpiry(grant))),
    jti: grant.id,
    sub: grant.project_id,
    u: grant.user_name,
    r: grant.room_name,
    s: isAudience ? [] : [...grant.permissions],
    acr: grant.auto_create_room,
    jf: orNull(grant.join_from, toSeconds),
    ju: orNull(grant.join_until, toSeconds),
    rat: orNull(grant.remove_at, toSeconds),
    rse: grant.remove_after_seconds_elapsed,
    ...(isAudience && { ja: grant.join_as }),
    ...(grant.media_allowed !== 'all' && { ma: grant.media_allowed }),
    ...(grant.join_audio_muted && { jam: true }),
    ...(grant.join_video_muted && { jvm: true }),
    ...(grant.end_room_session_on_leave && { eol: true }),
    ...(grant.enable_room_previews && { erp: true }),
    ...(grant.sync_audio_video && { sav: true }),
    ...(grant.room_display_name !== null && { rdn: grant.room_display_name }),
    ...(grant.room_meta !== null && { rm: grant.room_meta }),
    ...(grant.meta !== null && { m: grant.meta }),
  }
}

function decode(payload: Payload): RoomTokenClaims {
  return {
    id: payload.jti,
    project_id: payload.sub,
    room_name: payload.r,
    user_name: payload.u,
    permissions: payload.s,
    join_as: payload.ja ?? 'member',
    media_allowed: payload.ma ?? 'all',
    auto_create_room: payload.acr,
    join_from: orNull(payload.jf, toMilliseconds),
    join_until: orNull(payload.ju, toMilliseconds),
    remove_at: orNull(payload.rat, toMilliseconds),
    remove_after_seconds_elapsed: payload.rse,
    join_audio_muted: payload.jam ?? false,
    join_video_muted: payload.jvm ?? false,
    end_room_session_on_leave: payload.eol ?? false,
    enable_room_previews: payload.erp ?? false,
    sync_audio_video: payload.sav ?? false,
    room_display_name: payload.rdn ?? null,
    room_meta: payload.rm ?? null,
    meta: payload.m ?? null,
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
  const claims = decode(payload)
  return claims.expires_at > now ? { ok: true, claims } : { ok: false, reason: 'expired', claims }
}
