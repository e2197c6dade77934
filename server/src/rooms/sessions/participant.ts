import type { RoomRecord } from '../../storage/records.ts'
import type { Layout } from '../layouts/layout-types.ts'

/** Why a leg was ended by the server. */
export type EndCause =
  /** A moderator removed the member. */
  | 'removed'
  /** The token that the member is in by was revoked. */
  | 'token_revoked'
  /** The conference token that the member is in by has a new secret. */
  | 'token_reset'
  /** `remove_at` or `remove_after_seconds_elapsed`. */
  | 'time_over'
  | 'session_ended'
  /** The socket stayed away longer than the grace. */
  | 'connection_lost'
  /** No media path, or it broke for good. */
  | 'media_failed'
  | 'media_worker_died'
  | 'shutdown'
  /** The same participant joined anew, or the member that a screen share or device belongs to has left. */
  | 'replaced'
  | 'parent_left'

/** What everybody may know of a member. Read it at once: it is live. */
export interface MemberView {
  readonly id: string
  readonly name: string
  readonly type: 'member' | 'screen' | 'device' | 'audience'
  /** Whose screen share or device this is. */
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
  /** Where it goes; holds a key, so that only those may see it who may stream. */
  url: string
  state: 'streaming' | 'completed'
  /** null while its server has not taken it. */
  startedAt: number | null
  endedAt: number | null
}

/** What everybody may know of a session. Read it at once: it is live. */
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
  readonly meta: Readonly<Record<string, unknown>>
  /** Path and query of the preview video; whoever is told puts the origin in front that it connected to. */
  readonly previewPath: string | null
  /** Those that still run. */
  readonly runningRecordings: readonly RecordingView[]
  /** Those that still run, and have been taken by their servers. */
  readonly runningStreams: readonly StreamView[]
  /** Members, screen shares and devices in the order they came; no audience. */
  readonly members: readonly MemberView[]
}

/**
 * What a session tells its participants. The same object goes to everybody, so that a surface can encode it once; it must
 * be read before `notify` returns.
 */
export type SessionEvent = { session: SessionView } & (
  | { type: 'subscribed'; legId: string; member: MemberView }
  | { type: 'room_updated'; updated: readonly RoomField[] }
  | { type: 'room_ended' }
  | { type: 'member_joined'; member: MemberView }
  | { type: 'member_updated'; member: MemberView; updated: readonly MemberField[] }
  | { type: 'member_left'; member: MemberView; reason?: RemovalReason }
  | { type: 'member_talking'; member: MemberView }
  | { type: 'layout_changed'; layout: Layout }
  | { type: 'recording_started' | 'recording_updated' | 'recording_ended'; recording: RecordingView }
  | { type: 'stream_started' | 'stream_ended'; stream: StreamView }
  | { type: 'audience_count'; total: number }
)

/** Fields of a session that change while it runs, as named on the wire. */
export type RoomField = 'locked' | 'meta' | 'recording' | 'streaming'

/** Fields of a member that change while it is there, as named on the wire. */
export type MemberField =
  | 'audio_muted'
  | 'video_muted'
  | 'visible'
  | 'deaf'
  | 'input_volume'
  | 'output_volume'
  | 'input_sensitivity'

/** Causes of a departure that moderators are told. */
export type RemovalReason = Extract<EndCause, 'removed' | 'token_revoked' | 'token_reset'>

/** By what a client is known again. */
export interface ClientIdentity {
  /** Of the client session that it resumes after a reload or a dropped socket. */
  readonly clientId: string
  /** Of the browser, for clients on our own page; null for all others. A browser can forget it. */
  readonly browserId: string | null
}

/** Who is behind one or more members of a session: the port by which sessions talk to clients. */
export interface Participant {
  /** Whether messages get through at present. */
  readonly connected: boolean
  readonly identity: ClientIdentity
  notify(event: SessionEvent): void
  /** The server ended this leg; the client must hang up. */
  legEnded(legId: string, cause: EndCause): void
  /** What the camera of this leg should send at most. */
  cameraWanted(legId: string, wanted: { width: number; height: number; frameRate: number }): void
}
