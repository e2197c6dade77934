/**
 * Database rows as the rest of the server sees them. Field names are those of the wire. Every time is in Unix
 * milliseconds, UTC; only the API layer writes ISO 8601. Records of API resources come from their declarations in
 * `resources/`.
 */

import type { Scope } from '../resources/api-token.ts'
import type { QualityFigure } from '../resources/member-quality.ts'
import type { Role } from '../resources/roles.ts'
import type { RoomRecord } from '../resources/room-fields.ts'

export type { Scope } from '../resources/api-token.ts'
export type { ConferenceSettings } from '../resources/conference-settings.ts'
export type { EventRecord } from '../resources/event.ts'
export type { RoomRecord } from '../resources/room-fields.ts'
export type { RecordingRecord } from '../resources/room-recording.ts'
export type { MemberRecord, SessionRecord } from '../resources/room-session.ts'
export type { StreamRecord } from '../resources/stream.ts'
export type { WebhookRecord } from '../resources/webhook.ts'
export type { WebhookDeliveryRecord } from '../resources/webhook-delivery.ts'

/** A JSON object with data of the customer. */
export type Meta = Record<string, unknown>

export type Quality = RoomRecord['quality']
export type Fps = RoomRecord['fps']

/**
 * A secret that admits its bearer to a conference. It is stored encrypted, because it is shown again, and is looked
 * up by its hash.
 */
export interface ConferenceTokenRecord {
  id: string
  project_id: string
  conference_id: string
  name: string
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  /** The token, encrypted. */
  sealed: string
  /** Permissions of members who join with this token. */
  scopes: string[]
  created_at: number
  updated_at: number
}

/** One transmission of a session to an RTMP address. */
export interface StreamRunRecord {
  id: string
  project_id: string
  room_session_id: string
  /** The stored stream that this run belongs to. Null if a member of the session started it. */
  stream_id: string | null
  status: 'streaming' | 'completed'
  /** When the server at the address accepted the first data. Null until then. */
  started_at: number | null
  ended_at: number | null
  created_at: number
  updated_at: number
}

/** A customer of this server. It owns rooms and everything that happens in them. */
export interface ProjectRecord {
  id: string
  name: string
  /** The space in which its credentials work: the first label of a host name. Null if the project is in no space. */
  space: string | null
  /**
   * Names of the rooms and conferences that are open to its subscribers. A `*` at the end of a name matches every
   * name with that prefix. Null opens all.
   */
  subscriber_rooms: string[] | null
  /** Days for which recordings are kept, unless their room has a rule of its own. Null keeps them for ever. */
  recording_retention_days: number | null
  /** Bytes that all of its recordings may take. Null for no limit. */
  recording_quota_bytes: number | null
  created_at: number
}

/** A secret of a project. Only its hash is stored, never the secret. */
export interface ApiTokenRecord {
  id: string
  project_id: string
  name: string
  /** SHA-256 of the token, hexadecimal. */
  hash: string
  scopes: Scope[]
  /** Time of the last accepted request with this token, accurate to a minute. Null if there was none. */
  last_used_at: number | null
  created_at: number
}

/** The stored response to a request with an `Idempotency-Key`. A repeated request gets the same response. */
export interface KeptAnswerRecord {
  project_id: string
  idempotency_key: string
  /** SHA-256 of method, path and body. */
  request_hash: string
  /** HTTP status. */
  status: number
  /** JSON, encrypted because it may hold credentials. */
  body: string
  created_at: number
}

/** Subscriptions of a client that may come back after a restart of the server. */
export interface ClientSubscriptionRecord {
  /** Name of the client session. */
  id: string
  project_id: string
  /** Who may come back to it: member id of a chat client, or id of the API token of a back end. */
  owner: string
  /** Event names by channel. */
  subscriptions: Readonly<Record<string, readonly string[]>>
  updated_at: number
}

/** A room token that was revoked before it expired. */
export interface RevokedRoomTokenRecord {
  project_id: string
  /** The token's own id, its `jti`. */
  token_id: string
  /** The token's own expiry time. */
  expires_at: number
  created_at: number
}

/** How the connection of a member was. */
export interface MemberQualityRecord {
  member_id: string
  project_id: string
  room_session_id: string
  started_at: number
  interval_ms: number
  /** One value for each interval; null where nothing was measured. */
  series: Readonly<Record<QualityFigure, (number | null)[]>>
}

/** An origin whose pages may embed what a project has. */
export interface EmbedOriginRecord {
  project_id: string
  /** Such as `https://shop.example`. `https://*.shop.example` means every host below, and not that host itself. */
  origin: string
}

/** A link by which anybody plays a recording until it expires. */
export interface RecordingShareRecord {
  id: string
  project_id: string
  recording_id: string
  /** SHA-256 of the secret in the link, hexadecimal. */
  hash: string
  expires_at: number
  created_at: number
}

/** An end user of a project, who signs in with tokens of this server. */
export interface SubscriberRecord {
  id: string
  project_id: string
  /** The project's own name for the user. Unique within the project. */
  reference: string
  created_at: number
}

/**
 * One sign-in of a subscriber. It stands for all tokens that came from it: by refresh, and as tokens of the
 * subscriber's guests. They are valid as long as this row exists.
 */
export interface SignInRecord {
  id: string
  project_id: string
  subscriber_id: string
  /** Id of the only refresh token that has not been used. */
  refresh_token_id: string
  /** When that refresh token expires. All other tokens of the sign-in expire earlier. */
  expires_at: number
  created_at: number
}

/** A person who signs in to a project, with a password or by the operator's OpenID provider. */
export interface UserRecord {
  id: string
  project_id: string
  name: string
  /** The name in lower case. Unique within the project. */
  name_key: string
  role: Role
  /** As argon2 writes it. Null until the invitation is accepted, and for users of the OpenID provider. */
  password_hash: string | null
  /** Issuer and subject at the OpenID provider; null for users with a password. */
  identity: string | null
  last_sign_in_at: number | null
  created_at: number
}

/** A browser in which a user is signed in. */
export interface UserSessionRecord {
  id: string
  project_id: string
  user_id: string
  /** SHA-256 of the secret in the cookie, hexadecimal. */
  hash: string
  /** What the browser says it is; empty if it says nothing. */
  user_agent: string
  last_used_at: number
  expires_at: number
  created_at: number
}

/** A link that works once: with it a user chooses a password. */
export interface UserInvitationRecord {
  id: string
  project_id: string
  /** Null for the owner of a new project, who chooses the name as well. */
  user_id: string | null
  /** SHA-256 of the secret in the link, hexadecimal. */
  hash: string
  expires_at: number
  created_at: number
}

/** One leg of a client in a session, stored as a call: a member, a viewer, a screen share or an extra device. */
export interface CallRecord {
  id: string
  project_id: string
  room_session_id: string
  /** The call of the member that owns a screen share or device. Null for other calls. */
  parent_id: string | null
  /** Name of the user. */
  from_name: string
  /** Name of the room. */
  to_name: string
  status: 'in-progress' | 'completed'
  /** When the call was answered. */
  created_at: number
  ended_at: number | null
}

/** A message in a chat channel. */
export interface ChatMessageRecord {
  id: string
  project_id: string
  channel: string
  /** The session of the conference that this chat belongs to. Null in channels that the project made itself. */
  room_session_id: string | null
  member_id: string
  /** Name of the member. Null outside of conferences. */
  from_name: string | null
  /** Name of the conference. Null outside of conferences. */
  to_name: string | null
  /** Any JSON value. */
  content: string
  meta: Record<string, unknown> | null
  created_at: number
}

/**
 * One administrative action in the audit log. Never changed after it is written. It outlives the project it concerns.
 */
export interface AuditRecord {
  id: string
  actor_kind: 'os-user' | 'api-token' | 'user' | 'server'
  /** Name of the OS user or of the user, or id of the API token. */
  actor: string
  /** Dotted, like `api_token.revoke`. */
  action: string
  /** Id of the project. Null for actions on the whole server. */
  about_project: string | null
  /** Id of the changed object. Null if that is the project itself or has no id. */
  target: string | null
  details: Record<string, unknown>
  created_at: number
}

/** The deliveries of one session to one webhook: they are sent one after the other. */
export interface WebhookStreamRecord {
  webhook_id: string
  /** Id of the session, or of an event without a session. A replay has a stream of its own for each session. */
  id: string
  project_id: string
  /** Sequence of the newest delivery. */
  last_sequence: number
  /** Deliveries up to this one were delivered, or have failed. */
  done_sequence: number
  /** When the next attempt is due. Null when nothing waits. While a server sends, the end of its lease. */
  next_at: number | null
  /** The server that sends. Null when none does. */
  holder: string | null
  updated_at: number
}
