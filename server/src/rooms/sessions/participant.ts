import type { Reaction } from '../../resources/reactions.ts'
import type { RoomRecord } from '../../storage/records.ts'
import type { Layout } from '../layouts/layout-types.ts'
import type { MemberRole } from './member-role.ts'

/** Why the server ended a leg. */
export type EndCause =
  /** A moderator removed the member. */
  | 'removed'
  /** The member's current token was revoked. */
  | 'token_revoked'
  /** The member's conference token was reset and has a new secret. */
  | 'token_reset'
  /** The time of `remove_at` or `remove_after_seconds_elapsed` has come. */
  | 'time_over'
  | 'session_ended'
  /** The socket was gone for longer than the grace. */
  | 'connection_lost'
  /** The leg found no network path for media, or lost it for good. */
  | 'media_failed'
  | 'media_worker_died'
  | 'shutdown'
  /** `replaced`: the same participant joined again. `parent_left`: the owner of a screen share or device has left. */
  | 'replaced'
  | 'parent_left'

/** Public state of a member. It is live: read it at once and do not keep it. */
export interface MemberView {
  readonly id: string
  readonly name: string
  readonly type: 'member' | 'screen' | 'device' | 'audience'
  /** Id of the member who owns this screen share or device. Null for others. */
  readonly parentId: string | null
  readonly requestedPosition: string
  readonly currentPosition: string
  readonly visible: boolean
  readonly audioMuted: boolean
  readonly videoMuted: boolean
  readonly deaf: boolean
  /** -50 to 50. */
  readonly inputVolume: number
  /** -50 to 50. */
  readonly outputVolume: number
  /** 0 to 100. */
  readonly inputSensitivity: number
  readonly handRaised: boolean
  /** Null while the hand is down. */
  readonly handRaisedAt: number | null
  readonly talking: boolean
  readonly meta: Readonly<Record<string, unknown>>
}

/** A recording as clients see it. Times are Unix milliseconds. */
export interface RecordingView {
  id: string
  state: 'recording' | 'paused' | 'completed'
  /** Milliseconds of media; null until the recording is complete. */
  durationMs: number | null
  startedAt: number | null
  endedAt: number | null
}

/** A stream as clients see it. Times are Unix milliseconds. */
export interface StreamView {
  id: string
  /** RTMP address. It holds a secret key, so only members who may stream may see it. */
  url: string
  state: 'streaming' | 'completed'
  /** Null until the server at the address has accepted the stream. */
  startedAt: number | null
  endedAt: number | null
}

/** A file or live transmission that is played into the session, as clients see it. Times are Unix milliseconds. */
export interface PlaybackView {
  readonly id: string
  readonly state: 'playing' | 'paused' | 'completed'
  /** It may hold a secret, so only members who may play files may see it. */
  readonly url: string
  /** -50 to 50. */
  readonly volume: number
  readonly positionMs: number
  /** Null for a live transmission. */
  readonly durationMs: number | null
  readonly seekable: boolean
  readonly startedAt: number
  readonly endedAt: number | null
}

/** Public state of a session. It is live: read it at once and do not keep it. */
export interface SessionView {
  readonly id: string
  readonly projectId: string
  /** The room as it was when the session started. */
  readonly room: RoomRecord
  readonly roomId: string | null
  readonly name: string
  readonly displayName: string
  readonly layoutName: string
  readonly locked: boolean
  readonly hideVideoMuted: boolean
  readonly prioritizeHandraise: boolean
  readonly meta: Readonly<Record<string, unknown>>
  /** Path and query of the preview video. Each participant prefixes the origin that its client connected to. */
  readonly previewPath: string | null
  /** Recordings that are still running. */
  readonly runningRecordings: readonly RecordingView[]
  /** Running streams that their servers have accepted. */
  readonly runningStreams: readonly StreamView[]
  readonly runningPlaybacks: readonly PlaybackView[]
  /** Members, screen shares and devices, in the order in which they joined. No audience. */
  readonly members: readonly MemberView[]
}

/**
 * Events that a session sends to its participants. All participants get the same object, so that it can be encoded
 * once. Read it before `notify` returns.
 */
export type SessionEvent = { session: SessionView } & (
  | { type: 'subscribed'; legId: string; member: MemberView }
  /** Only for watchers: a participant joins after the start. */
  | { type: 'room_started' }
  | { type: 'room_updated'; updated: readonly RoomField[] }
  | { type: 'room_ended' }
  | { type: 'member_joined'; member: MemberView }
  | { type: 'member_updated'; member: MemberView; updated: readonly MemberField[] }
  | { type: 'member_left'; member: MemberView; reason?: RemovalReason }
  | { type: 'member_talking'; member: MemberView }
  | { type: 'member_reacted'; member: MemberView; reaction: Reaction }
  /** To the member alone: its client shall join again in this role. A role of null is that of its token. */
  | { type: 'member_promoted' | 'member_demoted'; member: MemberView; role: MemberRole | null }
  | { type: 'layout_changed'; layout: Layout }
  | { type: 'recording_started' | 'recording_updated' | 'recording_ended'; recording: RecordingView }
  | { type: 'stream_started' | 'stream_ended'; stream: StreamView }
  | { type: 'playback_started' | 'playback_updated' | 'playback_ended'; playback: PlaybackView }
  | { type: 'audience_count'; total: number }
)

/** Fields of a session that change while it runs, as named on the wire. */
export type RoomField =
  | 'layout_name'
  | 'locked'
  | 'hide_video_muted'
  | 'prioritize_handraise'
  | 'meta'
  | 'recording'
  | 'streaming'

/** Fields of a member that change while it is there, as named on the wire. */
export type MemberField =
  | 'requested_position'
  | 'current_position'
  | 'audio_muted'
  | 'video_muted'
  | 'visible'
  | 'deaf'
  | 'input_volume'
  | 'output_volume'
  | 'input_sensitivity'
  | 'handraised'
  | 'meta'

/** Causes that moderators see when a member has left. */
export type RemovalReason = Extract<EndCause, 'removed' | 'token_revoked' | 'token_reset'>

/** Ids by which a client is recognised when it comes back. */
export interface ClientIdentity {
  /** Id of the client session, which the client resumes after a reload or a dropped socket. */
  readonly clientId: string
  /** Id of the browser, for clients on this server's own page. Null for all others. A browser may lose it. */
  readonly browserId: string | null
}

/** The client of one or more members. This is the port by which sessions talk to clients. */
export interface Participant {
  /** Whether the client's socket is connected now. */
  readonly connected: boolean
  readonly identity: ClientIdentity
  notify(event: SessionEvent): void
  /** The server ended this leg; the client must hang up. */
  legEnded(legId: string, cause: EndCause): void
  /** Maximum size and frame rate that the camera of this leg should send. */
  cameraWanted(legId: string, wanted: { width: number; height: number; frameRate: number }): void
}
