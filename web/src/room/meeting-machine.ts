import { comesBack, type LeaveReason, leaveReason } from './leave-reason.ts'
import { initialMeetingState, type MeetingState, type MeetingTile } from './meeting-state.ts'
import { type MemberPayload, withMember, withoutMember } from './members.ts'

/**
 * The state of one stay in a room, without the browser. The machine computes from each event the next state and the
 * effects to carry out. Time is passed in. `meeting.ts` feeds it the events and carries out the effects.
 */
export interface MeetingCourse {
  /** What the screens show. The object stays the same if an event changes nothing in it. */
  shown: MeetingState
  /** The room said that its session is over. The end of the call follows. */
  roomEnded: boolean
  /** Whether audio and video ever reached the server. */
  mediaConnected: boolean
  /** Whether each can be reached, as far as the page knows. */
  up: { media: boolean; server: boolean; socket: boolean }
  /** When moderators were last told about a void invitation, on the monotonic clock. */
  invitationVoidAtMs: number
}

export type MeetingEvent =
  // From the client. The payloads' field names are those of the client protocol.
  | { kind: 'subscribed'; selfId: string; room: RoomPayload; nowMs: number }
  | { kind: 'room-updated'; room: RoomPayload; nowMs: number }
  | { kind: 'room-ended' }
  /** A member joined, started to speak, or stopped speaking. */
  | { kind: 'member'; member: MemberPayload }
  | { kind: 'member-updated'; member: MemberPayload }
  /** @property monotonicMs from `performance.now()` */
  | { kind: 'member-left'; memberId: string; reason: string | undefined; monotonicMs: number }
  | { kind: 'layout-changed'; tiles: readonly MeetingTile[] }
  | { kind: 'recording-started'; startedAtMs: number }
  | { kind: 'recording-ended' }
  /** What the client itself reports about the media path. */
  | { kind: 'media-path'; up: boolean }
  | { kind: 'socket'; up: boolean }
  | { kind: 'call-ended'; clientReason: string | undefined; cause: string | undefined }
  // From the page's own watches.
  /** The transport of a received track broke or recovered. This is known seconds before the client reports it. */
  | { kind: 'transport'; up: boolean }
  /** The server does not answer. The page asks again at `tryAtMs` (Unix milliseconds). Null: the server answers. */
  | { kind: 'server-away'; tryAtMs: number | null }
  | { kind: 'server-restarted' }
  /** The timeout of the {@link MeetingEffect} `give-up-later` has passed. */
  | { kind: 'given-up' }
  // From the person and from the browser.
  | { kind: 'joined'; permissions: readonly string[] }
  | { kind: 'join-failed' }
  | { kind: 'leave' }
  | { kind: 'sharing'; is: MeetingState['sharing'] }
  | { kind: 'sound'; blocked: boolean }

export type MeetingEffect =
  /** Shows a short message. */
  | { do: 'tell'; title: string; hint: string }
  /** The own microphone or camera was turned off or on, by the person or by somebody else. */
  | { do: 'note-own-mute'; what: 'audioMuted' | 'videoMuted'; muted: boolean }
  /**
   * If the media path stays away for long, it does not come back. A timer ends the stay, unless it is cancelled before.
   */
  | { do: 'give-up-later' }
  | { do: 'do-not-give-up' }
  | { do: 'watch-server'; how: 'begin' | 'socketBack' | 'end' }
  /**
   * The stay is over: release devices, timers and watches.
   * @property hangUp whether the call still exists and the page has to end it
   * @property resume what was shown last, if the page brings the person back by itself
   */
  | { do: 'release'; reason: LeaveReason; hangUp: boolean; resume: MeetingState | null }

/** The parts of a room session that the page reads. The client's own types leave some of them out. */
export interface RoomPayload {
  id: string
  name?: string
  display_name?: string
  members?: readonly MemberPayload[]
  recording?: boolean
  /** `started_at` is in Unix seconds. */
  recordings?: readonly { state: string; started_at: number | null }[]
  /** Names of the fields that this update changes. */
  updated?: readonly string[]
}

/** Departures within this time have the same cause. */
const voidTogetherMs = 5_000

/** The state before somebody joins. */
export const initialCourse: MeetingCourse = {
  shown: initialMeetingState,
  roomEnded: false,
  mediaConnected: false,
  up: { media: true, server: true, socket: true },
  invitationVoidAtMs: Number.NEGATIVE_INFINITY,
}

type Step = readonly [MeetingCourse, readonly MeetingEffect[]]

/** Returns the next state for an event, and then the effects to carry out. */
export function nextMeeting(course: MeetingCourse, event: MeetingEvent): Step {
  const { shown } = course
  const show = (part: Partial<MeetingState>): Step => [withShown(course, part), []]
  switch (event.kind) {
    case 'subscribed':
      return show(subscribed(shown, event))
    case 'room-updated': {
      const { updated, recording } = event.room
      if (!updated?.includes('recording')) return [course, []]
      return show({ recordingSince: recording ? (shown.recordingSince ?? event.nowMs) : null })
    }
    case 'room-ended':
      return [{ ...course, roomEnded: true }, []]
    case 'member':
      return show({ members: withMember(shown.members, event.member) })
    case 'member-updated':
      return memberUpdated(course, event.member)
    case 'member-left':
      return memberLeft(course, event)
    case 'layout-changed':
      return show({ tiles: event.tiles })
    case 'recording-started':
      return show({ recordingSince: event.startedAtMs })
    case 'recording-ended':
      return show({ recordingSince: null })
    case 'media-path':
      return reachable({ ...course, mediaConnected: course.mediaConnected || event.up }, 'media', event.up)
    case 'transport':
      return reachable(course, 'media', event.up)
    case 'socket':
      return [{ ...course, up: { ...course.up, socket: event.up } }, [afterSocket(shown, event.up)]]
    case 'server-away': {
      const [after, effects] = reachable(course, 'server', event.tryAtMs === null)
      return shown.phase === 'left'
        ? [after, effects]
        : [withShown(after, { retryAtMs: event.tryAtMs }), effects]
    }
    case 'server-restarted':
      return end(course, 'server-restarted', { hangUp: true })
    case 'given-up':
      return end(course, 'connection-lost', { hangUp: true })
    case 'call-ended':
      return end(course, reasonOf(course, event), { hangUp: false })
    case 'joined':
      return show({ phase: 'joined', permissions: event.permissions })
    case 'join-failed':
      return end(course, 'unknown', { hangUp: false })
    case 'leave':
      return end(course, 'left', { hangUp: false })
    case 'sharing':
      return show({ sharing: event.is })
    case 'sound':
      return show({ soundBlocked: event.blocked })
  }
}

const withShown = (course: MeetingCourse, part: Partial<MeetingState>): MeetingCourse => ({
  ...course,
  shown: { ...course.shown, ...part },
})

function subscribed(
  shown: MeetingState,
  { selfId, room, nowMs }: Extract<MeetingEvent, { kind: 'subscribed' }>,
): Partial<MeetingState> {
  return {
    selfId,
    sessionId: room.id,
    title: room.display_name ?? room.name ?? null,
    members: (room.members ?? []).reduce(withMember, shown.members),
    recordingSince: recordingSince(room, nowMs),
  }
}

function recordingSince({ recording, recordings = [] }: RoomPayload, nowMs: number): number | null {
  const running = recordings.find((one) => one.state !== 'completed')
  if (running?.started_at) return running.started_at * 1000
  return running || recording ? nowMs : null
}

function memberUpdated(course: MeetingCourse, member: MemberPayload): Step {
  const { members, selfId } = course.shown
  const before = members.find((one) => one.id === member.id)
  const after = withShown(course, { members: withMember(members, member) })
  const now = after.shown.members.find((one) => one.id === member.id)
  if (!before || !now || now.id !== selfId) return [after, []]
  const changed = (['audioMuted', 'videoMuted'] as const).filter((what) => before[what] !== now[what])
  return [after, changed.map((what) => ({ do: 'note-own-mute', what, muted: now[what] }))]
}

/** One invitation may have admitted many members: one message tells about all of them. */
function memberLeft(
  course: MeetingCourse,
  { memberId, reason, monotonicMs }: Extract<MeetingEvent, { kind: 'member-left' }>,
): Step {
  const after = withShown(course, { members: withoutMember(course.shown.members, memberId) })
  if (reason !== 'token_reset' && reason !== 'token_revoked') return [after, []]
  const isNew = monotonicMs - course.invitationVoidAtMs > voidTogetherMs
  return [
    { ...after, invitationVoidAtMs: monotonicMs },
    isNew
      ? [
          {
            do: 'tell',
            title: 'Members had to leave',
            hint: 'Somebody replaced or revoked the invitation that they used.',
          },
        ]
      : [],
  ]
}

function afterSocket({ phase }: MeetingState, up: boolean): MeetingEffect {
  if (phase !== 'joined') return { do: 'watch-server', how: 'end' }
  return { do: 'watch-server', how: up ? 'socketBack' : 'begin' }
}

function reachable(course: MeetingCourse, what: 'media' | 'server', up: boolean): Step {
  const after = { ...course, up: { ...course.up, [what]: up } }
  const connected = after.up.media && after.up.server
  if (course.shown.phase !== 'joined' || connected === course.shown.connected) return [after, []]
  return [withShown(after, { connected }), [{ do: connected ? 'do-not-give-up' : 'give-up-later' }]]
}

function reasonOf(
  { roomEnded, mediaConnected, up }: MeetingCourse,
  { clientReason, cause }: Extract<MeetingEvent, { kind: 'call-ended' }>,
): LeaveReason {
  // If a call ends without a cause while its socket signs in again, the server refused the sign-in.
  return leaveReason({ roomEnded, mediaConnected, clientReason, cause, tokenRefused: !up.socket })
}

function end(course: MeetingCourse, reason: LeaveReason, { hangUp }: { hangUp: boolean }): Step {
  const { shown, mediaConnected, up } = course
  if (shown.phase === 'left') return [course, []]
  const wasJoined = shown.phase === 'joined'
  const resume = wasJoined && comesBack(reason, mediaConnected) ? shown : null
  // The page no longer watches the server, so an earlier "server away" must not count any more.
  const after = { ...course, up: { ...up, server: true } }
  return [
    withShown(after, {
      phase: 'left',
      reason,
      sharing: 'off',
      retryAtMs: null,
      connected: wasJoined && !up.server ? up.media : shown.connected,
    }),
    [{ do: 'release', reason, hangUp, resume }],
  ]
}
