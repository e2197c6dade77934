import type { LeaveReason } from './leave-reason.ts'
import type { MeetingMember } from './members.ts'
import type { MeetingPlayback } from './playback-state.ts'
import type { ShownReaction } from './reactions/reaction.ts'
import type { MeetingRecording } from './recording-state.ts'

/** The rectangle of a member in the composed picture, in percent of the picture. */
export interface MeetingTile {
  memberId: string
  x: number
  y: number
  width: number
  height: number
  /** Whether the tile shows live video. If not, the room draws a name card. */
  live: boolean
}

/** Settings of the running session that some members may change. */
export interface RoomSettings {
  /** Members without a picture get no tile. */
  hideVideoMuted: boolean
  /** Members with a raised hand get the first places. */
  handsFirst: boolean
  /** Nobody else may come in. */
  locked: boolean
  /** The picture itself shows the names of members. */
  nameLabels: boolean
}

/** How somebody is in the room. An audience watches and listens, and the others see only how many they are. */
export type Role = 'member' | 'audience'

/** What this device may send, if the person turns it on. */
export type CanSend = Readonly<{ audio: boolean; video: boolean }>

/** Everything that the screens show of a meeting. It is a new object at each change. */
export interface MeetingState {
  phase: 'joining' | 'joined' | 'left'
  /** Whether server and media can be reached. */
  connected: boolean
  /** Whether frames of the composed picture arrive. */
  pictureFlows: boolean
  /** When the server is asked again, in Unix milliseconds; null while it answers. */
  retryAtMs: number | null
  selfId: string | null
  sessionId: string | null
  /** The room's own title. */
  title: string | null
  role: Role
  canSend: CanSend
  /** No audience. */
  members: readonly MeetingMember[]
  /** Ids of members with a raised hand, in the order in which they raised it. */
  hands: readonly string[]
  /** The oldest is first. */
  reactions: readonly ShownReaction[]
  audienceCount: number
  /** Name of the present layout. */
  layout: string | null
  tiles: readonly MeetingTile[]
  settings: RoomSettings
  /** Null while nothing is recorded. */
  recording: MeetingRecording | null
  /** The meeting is sent to other addresses. */
  streaming: boolean
  /** The oldest is first. */
  playbacks: readonly MeetingPlayback[]
  sharing: 'off' | 'starting' | 'on'
  permissions: readonly string[]
  /** The browser waits for a click or touch before it plays sound. */
  soundBlocked: boolean
  /** Set once `phase` is `left`. */
  reason: LeaveReason | null
}

export const initialMeetingState: MeetingState = {
  phase: 'joining',
  connected: true,
  pictureFlows: true,
  retryAtMs: null,
  selfId: null,
  sessionId: null,
  title: null,
  role: 'member',
  canSend: { audio: false, video: false },
  members: [],
  hands: [],
  reactions: [],
  audienceCount: 0,
  layout: null,
  tiles: [],
  settings: { hideVideoMuted: false, handsFirst: false, locked: false, nameLabels: false },
  recording: null,
  streaming: false,
  playbacks: [],
  sharing: 'off',
  permissions: [],
  soundBlocked: false,
  reason: null,
}
