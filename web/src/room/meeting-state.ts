import type { LeaveReason } from './leave-reason.ts'
import type { MeetingMember } from './members.ts'

/** Where a member is in the composed picture, in percent of it. */
export interface MeetingTile {
  memberId: string
  x: number
  y: number
  width: number
  height: number
  /** Whether there is a live picture in it; otherwise the room draws a card with the name. */
  live: boolean
}

/** Everything the screens show of a meeting. A new object at each change. */
export interface MeetingState {
  phase: 'joining' | 'joined' | 'left'
  /** Whether server and media can be reached. */
  connected: boolean
  /** Unix milliseconds at which the server is asked again; null while it answers. */
  retryAtMs: number | null
  selfId: string | null
  sessionId: string | null
  /** As the room calls itself. */
  title: string | null
  members: readonly MeetingMember[]
  tiles: readonly MeetingTile[]
  /** Unix milliseconds of its start; null while nothing is recorded. */
  recordingSince: number | null
  sharing: 'off' | 'starting' | 'on'
  permissions: readonly string[]
  /** The browser waits for a touch before it plays sound. */
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
