import { errors, jwtVerify, SignJWT } from 'jose'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { newId } from '../ids.ts'

/**
 * The tokens that end users carry: JWTs signed by this server (HS512, RFC 7515). A subscriber's access token stands
 * for one end user of a project; its refresh token renews it; a guest's token lets see a few addresses and no more.
 */
export type AccessGrant =
  | { kind: 'subscriber'; project_id: string; subscriber_id: string }
  | { kind: 'refresh'; project_id: string; subscriber_id: string }
  | { kind: 'guest'; project_id: string; subscriber_id: string; allowed_addresses: readonly string[] }

/** The `typ` header of each kind; only the browser client knows `SAT`. */
const TYPES = { subscriber: 'SAT', refresh: 'SRT', guest: 'GAT' } as const
const KINDS = new Map(
  Object.entries(TYPES).map(([kind, type]) => [type as string, kind as AccessGrant['kind']]),
)

const Payload = Type.Object({
  jti: Type.String(),
  /** Subscriber id. */
  sub: Type.String(),
  /** Project id. */
  p: Type.String(),
  exp: Type.Number(),
  /** Addresses a guest may see. */
  aa: Type.Optional(Type.Array(Type.String())),
})
const payloadCheck = Compile(Payload)

/**
 * @param expiresAt Unix milliseconds; told in whole seconds
 * @param options.host of the WebSocket, as in room tokens
 */
export function mintAccessToken(
  grant: AccessGrant,
  key: Uint8Array,
  options: { now: number; expiresAt: number; host: string },
): Promise<string> {
  const guest = grant.kind === 'guest' ? { aa: [...grant.allowed_addresses] } : {}
  return new SignJWT({ p: grant.project_id, ...guest })
    .setProtectedHeader({ alg: 'HS512', typ: TYPES[grant.kind], ch: options.host })
    .setJti(newId())
    .setSubject(grant.subscriber_id)
    .setIssuedAt(Math.floor(options.now / 1000))
    .setExpirationTime(Math.floor(options.expiresAt / 1000))
    .sign(key)
}

export type AccessTokenVerification =
  | { ok: true; grant: AccessGrant }
  | { ok: false; reason: 'invalid' | 'expired' }

const TOKEN_MAX_CHARACTERS = 8192

/** @returns never rejects for anything that a client can send */
export async function verifyAccessToken(
  token: string,
  key: Uint8Array,
  now: number,
): Promise<AccessTokenVerification> {
  if (token.length > TOKEN_MAX_CHARACTERS) return { ok: false, reason: 'invalid' }
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      algorithms: ['HS512'],
      currentDate: new Date(now),
    })
    const kind = KINDS.get(protectedHeader.typ ?? '')
    if (!kind || !payloadCheck.Check(payload)) return { ok: false, reason: 'invalid' }
    const subject = { project_id: payload.p, subscriber_id: payload.sub }
    if (kind !== 'guest') return { ok: true, grant: { kind, ...subject } }
    return { ok: true, grant: { kind, ...subject, allowed_addresses: payload.aa ?? [] } }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { ok: false, reason: 'expired' }
    if (error instanceof errors.JOSEError) return { ok: false, reason: 'invalid' }
    throw error
  }
}
