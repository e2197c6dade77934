import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** Contents of every end user's token. */
interface AnyAccessGrant {
  /** Id of the token itself. */
  id: string
  project_id: string
  subscriber_id: string
  /** The sign-in that the token comes from. The token is void when the sign-in ends. */
  sign_in_id: string
  /** Unix milliseconds; the token holds whole seconds. */
  expires_at: number
}

/**
 * The tokens of end users: JWTs signed by this server (HS512, RFC 7515). A subscriber's access token identifies one end
 * user of a project. Its refresh token renews it. A guest's token shows a few addresses and nothing else.
 */
export type AccessGrant =
  | (AnyAccessGrant & { kind: 'subscriber' })
  | (AnyAccessGrant & { kind: 'refresh' })
  | (AnyAccessGrant & { kind: 'guest'; allowed_addresses: readonly string[] })

/** The `typ` header of each kind. The browser client knows only `SAT`. */
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
  /** Id of the sign-in. */
  si: Type.String(),
  exp: Type.Number(),
  /** Addresses that a guest may see. */
  aa: Type.Optional(Type.Array(Type.String())),
})
const payloadCheck = Compile(Payload)

/** Whether a token says that it is one of an end user. Its signature is not checked. */
export function looksLikeAccessToken(token: string): boolean {
  try {
    return KINDS.has(String(decodeProtectedHeader(token).typ))
  } catch {
    return false
  }
}

/**
 * @param options.now Unix milliseconds
 * @param options.host host of the WebSocket, as in room tokens
 */
export function mintAccessToken(
  grant: AccessGrant,
  key: Uint8Array,
  options: { now: number; host: string },
): Promise<string> {
  const guest = grant.kind === 'guest' ? { aa: [...grant.allowed_addresses] } : {}
  return new SignJWT({ p: grant.project_id, si: grant.sign_in_id, ...guest })
    .setProtectedHeader({ alg: 'HS512', typ: TYPES[grant.kind], ch: options.host })
    .setJti(grant.id)
    .setSubject(grant.subscriber_id)
    .setIssuedAt(Math.floor(options.now / 1000))
    .setExpirationTime(Math.floor(grant.expires_at / 1000))
    .sign(key)
}

export type AccessTokenVerification =
  | { ok: true; grant: AccessGrant }
  | { ok: false; reason: 'invalid' | 'expired' }

const TOKEN_MAX_CHARACTERS = 8192

/**
 * Checks that this server signed the token, and that it has not expired. It does not check the sign-in, which is in
 * storage.
 * @returns a promise that never rejects, whatever the client sent
 */
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
    const common = {
      id: payload.jti,
      project_id: payload.p,
      subscriber_id: payload.sub,
      sign_in_id: payload.si,
      expires_at: payload.exp * 1000,
    }
    if (kind !== 'guest') return { ok: true, grant: { kind, ...common } }
    return { ok: true, grant: { kind, ...common, allowed_addresses: payload.aa ?? [] } }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { ok: false, reason: 'expired' }
    if (error instanceof errors.JOSEError) return { ok: false, reason: 'invalid' }
    throw error
  }
}
