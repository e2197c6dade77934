import { errors, jwtVerify, SignJWT } from 'jose'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** What a token permits in a channel. */
export interface ChannelAccess {
  read: boolean
  write: boolean
}

/** Channels with what is permitted in each of them. A `Map` is one. */
export interface ChannelRights extends Iterable<[string, ChannelAccess]> {
  get(name: string): ChannelAccess | undefined
  keys(): Iterable<string>
}

/** The conference, or the other room, whose chat a token admits to. */
export interface SessionSeat {
  roomSessionId: string
  /** Name of the conference or room. */
  roomName: string
  /** Name of the member. */
  memberName: string
}

/** Contents of a chat token. */
export interface ChatGrant {
  id: string
  project_id: string
  /** `pubsub` works the same, but needs another scope to create. */
  kind: 'chat' | 'pubsub'
  member_id: string
  /** Keyed by channel name. */
  channels: ChannelRights
  /** State that others see of the member until the member sets another one. */
  state: Record<string, unknown>
  /**
   * Set only in the tokens of those who are in a conference or another room. Such a token admits to the channel of the
   * session while they are in it.
   */
  seat: SessionSeat | null
  /** Unix milliseconds. */
  issued_at: number
  /** Unix milliseconds. */
  expires_at: number
}

/** Prefix of the server's own channels. No project can get a token for such a name. */
export const RESERVED_PREFIX = 'sw_'

/** The channel of a session, of a conference or of another room. It exists as long as the session. */
export const conferenceChannel = (roomSessionId: string): string =>
  `${RESERVED_PREFIX}conference_${roomSessionId}`

/**
 * The `typ` header of the tokens. Clients store the data for a resume only for two other types, so not for this one.
 */
const TYPE = 'CHT'

/** A token must fit into one frame of the client, together with the rest of the message. */
export const TOKEN_MAX_CHARACTERS = 230_000

const Names = Type.Optional(Type.Array(Type.String()))
const Payload = Type.Object({
  iat: Type.Number(),
  exp: Type.Number(),
  jti: Type.String(),
  /** Project id. */
  sub: Type.String(),
  k: Type.Union([Type.Literal('chat'), Type.Literal('pubsub')]),
  /** `member_id`. */
  m: Type.String(),
  /**
   * Channels to read and write, to read, to write, and with no access. They are separate claims, because there can be
   * many channels.
   */
  rw: Names,
  ro: Names,
  wo: Names,
  no: Names,
  /** State. */
  st: Type.Optional(Type.Object({})),
  /** Conference. */
  cs: Type.Optional(Type.Object({ id: Type.String(), room: Type.String(), name: Type.String() })),
})
type Payload = Static<typeof Payload>
const payloadCheck = Compile(Payload)

const ACCESS = {
  rw: { read: true, write: true },
  ro: { read: true, write: false },
  wo: { read: false, write: true },
  no: { read: false, write: false },
} as const satisfies Record<string, ChannelAccess>
const KINDS_OF_ACCESS = Object.entries(ACCESS) as [keyof typeof ACCESS, ChannelAccess][]

/**
 * @param key 64 bytes
 * @param host host of the WebSocket, as in room tokens
 */
export function mintChatToken(grant: ChatGrant, key: Uint8Array, host: string): Promise<string> {
  const { seat } = grant
  const channels = KINDS_OF_ACCESS.flatMap(([claim, access]) => {
    const names = [...grant.channels]
      .filter(([, { read, write }]) => read === access.read && write === access.write)
      .map(([name]) => name)
    return names.length > 0 ? [[claim, names]] : []
  })
  const payload: Payload = {
    iat: Math.floor(grant.issued_at / 1000),
    exp: Math.ceil(grant.expires_at / 1000),
    jti: grant.id,
    sub: grant.project_id,
    k: grant.kind,
    m: grant.member_id,
    ...Object.fromEntries(channels),
    ...(Object.keys(grant.state).length > 0 && { st: grant.state }),
    ...(seat && { cs: { id: seat.roomSessionId, room: seat.roomName, name: seat.memberName } }),
  }
  return new SignJWT({ ...payload }).setProtectedHeader({ alg: 'HS512', typ: TYPE, ch: host }).sign(key)
}

export type ChatTokenVerification =
  | { ok: true; grant: ChatGrant }
  | { ok: false; reason: 'invalid' | 'expired' }

/** @returns a promise that never rejects, whatever the client sent */
export async function verifyChatToken(
  token: string,
  key: Uint8Array,
  now: number,
): Promise<ChatTokenVerification> {
  if (token.length > TOKEN_MAX_CHARACTERS) return { ok: false, reason: 'invalid' }
  try {
    const currentDate = new Date(now)
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS512'], typ: TYPE, currentDate })
    return payloadCheck.Check(payload)
      ? { ok: true, grant: decode(payload) }
      : { ok: false, reason: 'invalid' }
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { ok: false, reason: 'expired' }
    if (error instanceof errors.JOSEError) return { ok: false, reason: 'invalid' }
    throw error
  }
}

function decode(payload: Payload): ChatGrant {
  const { cs } = payload
  const channels = KINDS_OF_ACCESS.flatMap(([claim, access]) =>
    (payload[claim] ?? []).map((name) => [name, access] as const),
  )
  return {
    id: payload.jti,
    project_id: payload.sub,
    kind: payload.k,
    member_id: payload.m,
    channels: new Map(channels),
    state: { ...payload.st },
    seat: cs ? { roomSessionId: cs.id, roomName: cs.room, memberName: cs.name } : null,
    issued_at: payload.iat * 1000,
    expires_at: payload.exp * 1000,
  }
}

/** Whether the token's header claims that it is a chat token. Only {@link verifyChatToken} proves it. */
export function looksLikeChatToken(token: string): boolean {
  const header = token.slice(0, Math.min(token.indexOf('.'), 1000))
  try {
    return JSON.parse(Buffer.from(header, 'base64url').toString()).typ === TYPE
  } catch {
    return false
  }
}
