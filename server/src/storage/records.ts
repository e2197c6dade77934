/**
 * Rows as the rest of the server sees them. Field names are those of the wire. Every time is in Unix milliseconds, UTC;
 * the surface alone writes ISO 8601. Records of what the interface shows come from their declarations in `resources/`.
 */

import type { RoomRecord } from '../resources/room-fields.ts'

export type { ConferenceSettings } from '../resources/conference-settings.ts'
export type { EventRecord } from '../resources/event.ts'
export type { RoomRecord } from '../resources/room-fields.ts'
export type { RecordingRecord } from '../resources/room-recording.ts'
export type { MemberRecord, SessionRecord } from '../resources/room-session.ts'
export type { StreamRecord } from '../resources/stream.ts'

/** Any JSON object a customer attached. */
export type Meta = Record<string, unknown>

export type Quality = RoomRecord['quality']
export type Fps = RoomRecord['fps']

/** A secret that lets into a conference. It is stored sealed, since it is shown again, and found by its hash. */
export interface ConferenceTokenRecord {
  id: string
  project_id: string
  conference_id: string
  name: string
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  /** The token, sealed. */
  sealed: string
  /** Permissions of those who join with it. */
  scopes: string[]
  created_at: number
  updated_at: number
}

/** One time that a session was sent to an address. */
export interface StreamRunRecord {
  id: string
  project_id: string
  room_session_id: string
  /** The stored stream it came from; null for one that a member of the session started. */
  stream_id: string | null
  status: 'streaming' | 'completed'
  /** When the first data was accepted; null while nothing was. */
  started_at: number | null
  ended_at: number | null
  created_at: number
  updated_at: number
}

/** A customer of this server: owner of rooms and all that happens in them. */
export interface ProjectRecord {
  id: string
  name: string
  /** The space in which its credentials work: the first label of a host name. Null outside of all spaces. */
  space: string | null
  /**
   * The rooms and conferences that it opens to its subscribers: names, or beginnings of names with a `*` behind. Null for
   * all.
   */
  subscriber_rooms: string[] | null
  created_at: number
}

/** What an API token may be used for. */
export type Scope =
  | 'calling'
  | 'chat'
  | 'fax'
  | 'management'
  | 'messaging'
  | 'numbers'
  | 'pubsub'
  | 'storage'
  | 'tasking'
  | 'video'

/** A secret that speaks for a project. The secret itself is nowhere; only its hash is. */
export interface ApiTokenRecord {
  id: string
  project_id: string
  name: string
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  scopes: Scope[]
  /** When it last let somebody in, to within a minute; null while it never did. */
  last_used_at: number | null
  created_at: number
}

/** What was answered to a request with an `Idempotency-Key`, so that it can be answered the same again. */
export interface KeptAnswerRecord {
  project_id: string
  idempotency_key: string
  /** SHA-256 of method, path and body. */
  request_hash: string
  /** HTTP status. */
  status: number
  /** JSON, sealed: it may hold credentials. */
  body: string
  created_at: number
}

/** A room token that is void before it expires. */
export interface RevokedRoomTokenRecord {
  project_id: string
  /** The token's own id, its `jti`. */
  token_id: string
  /** When the token expires by itself. */
  expires_at: number
  created_at: number
}

/** An end user of a project, who signs in with tokens of this server. */
export interface SubscriberRecord {
  id: string
  project_id: string
  /** How the project itself calls the user; unique within it. */
  reference: string
  created_at: number
}

/**
 * One sign-in of a subscriber: the family of the tokens that came from it, by refreshing and as those of its guests. They
 * are good as long as it is there.
 */
export interface SignInRecord {
  id: string
  project_id: string
  subscriber_id: string
  /** The one refresh token that has not been used. */
  refresh_token_id: string
  /** When that token expires, which is later than all others do. */
  expires_at: number
  created_at: number
}

/** One leg of a client in a session, as a call: a member, a viewer, a screen share or an extra device. */
export interface CallRecord {
  id: string
  project_id: string
  room_session_id: string
  /** The call of the member that a screen share or device belongs to. */
  parent_id: string | null
  /** Name of the user. */
  from_name: string
  /** Name of the room. */
  to_name: string
  status: 'in-progress' | 'completed'
  /** When it was answered. */
  created_at: number
  ended_at: number | null
}

/** Something that was written in a chat channel. */
export interface ChatMessageRecord {
  id: string
  project_id: string
  channel: string
  /** The session of the conference whose chat it is; null in channels of the project's own making. */
  room_session_id: string | null
  member_id: string
  /** Name of the member; only in conferences. */
  from_name: string | null
  /** Name of the conference; only in conferences. */
  to_name: string | null
  /** JSON of any kind. */
  content: string
  meta: Record<string, unknown> | null
  created_at: number
}

/** One act of administration, in the audit log. Never changed once written; outlives the project that it is about. */
export interface AuditRecord {
  id: string
  actor_kind: 'os-user' | 'api-token' | 'server'
  /** Name of the OS user, or id of the API token. */
  actor: string
  /** Dotted, like `api_token.revoke`. */
  action: string
  /** Id of the project; null for acts on the whole server. */
  about_project: string | null
  /** Id of what was changed; null where that is the project itself, or has no id. */
  target: string | null
  details: Record<string, unknown>
  created_at: number
}
