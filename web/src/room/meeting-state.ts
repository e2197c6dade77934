import type { LeaveReason } from './leave-reason.ts'
import type { MeetingMember } from './members.ts'

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

/** Everything that the screens show of a meeting. It is a new object at each change. */
export interface MeetingState {
  phase: 'joining' | 'joined' | 'left'
  /** Whether server and media can be reached. */
  connected: boolean
  /** When the server is asked again, in Unix milliseconds; null while it answers. */
  retryAtMs: number | null
  selfId: string | null
  sessionId: string | null
  /** The room's own title. */
  title: string | null
  members: readonly MeetingMember[]
  tiles: readonly MeetingTile[]
  /** Start of the recording in Unix milliseconds; null while nothing is recorded. */
  recordingSince: number | null
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
  retryAtMs: null,
  selfId: null,
  sessionId: null,
  title: null,
  members: [],
  tiles: [],
  recordingSince: null,
  sharing: 'off',
  permissions: [],
  soundBlocked: false,
  reason: null,
}
