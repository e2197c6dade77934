import { t } from '../languages/texts.ts'
import { comesBack, type LeaveReason, leaveReason } from './leave-reason.ts'
import {
  type CanSend,
  initialMeetingState,
  type MeetingState,
  type MeetingTile,
  type Role,
} from './meeting-state.ts'
import { type MeetingMember, type MemberPayload, raisedHands, withMember, withoutMember } from './members.ts'
import { type PlaybackPayload, withPlayback } from './playback-state.ts'
import { type ShownReaction, withReaction } from './reactions/reaction.ts'
import { type RecordingReport, withReport } from './recording-state.ts'
import { type RoomPayload, recordingOf, settingsOf } from './room-payload.ts'

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
  /** @property nowMs Unix milliseconds @property monotonicMs from `performance.now()` */
  | { kind: 'subscribed'; selfId: string; room: RoomPayload; nowMs: number; monotonicMs: number }
  | { kind: 'room-updated'; room: RoomPayload; nowMs: number }
  | { kind: 'room-ended' }
  /** A member joined, started to speak, or stopped speaking. */
  | { kind: 'member'; member: MemberPayload }
  | { kind: 'member-updated'; member: MemberPayload }
  /** @property monotonicMs from `performance.now()` */
  | { kind: 'member-left'; memberId: string; reason: string | undefined; monotonicMs: number }
  /** A moderator moved this member into the audience, or out of it. */
  | { kind: 'role-changed'; role: Role; permissions: readonly string[]; canSend: CanSend }
  | { kind: 'audience'; total: number }
  | { kind: 'reacted'; reaction: Omit<ShownReaction, 'id'> }
  /** The time of a reaction is over. */
  | { kind: 'reaction-over'; id: number }
  | { kind: 'layout-changed'; name: string; tiles: readonly MeetingTile[] }
  /** A recording started, was paused, or goes on. */
  | { kind: 'recording'; report: RecordingReport }
  | { kind: 'recording-ended' }
  /** A playback started, changed or ended. */
  | { kind: 'playback'; playback: PlaybackPayload; monotonicMs: number }
  /** What the client itself reports about the media path. */
  | { kind: 'media-path'; up: boolean }
  | { kind: 'socket'; up: boolean }
  | { kind: 'call-ended'; clientReason: string | undefined; cause: string | undefined }
  // From the page's own watches.
  /** The transport of a received track broke or recovered. This is known seconds before the client reports it. */
  | { kind: 'transport'; up: boolean }
  /** Frames of the composed picture arrive, or no more. */
  | { kind: 'picture'; flows: boolean }
  /** The server does not answer. The page asks again at `tryAtMs` (Unix milliseconds). Null: the server answers. */
  | { kind: 'server-away'; tryAtMs: number | null }
  | { kind: 'server-restarted' }
  /** The timeout of the {@link MeetingEffect} `give-up-later` has passed. */
  | { kind: 'given-up' }
  // From the person and from the browser.
  | { kind: 'joined'; role: Role; permissions: readonly string[]; canSend: CanSend }
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
  | { do: 'end-reaction-later'; id: number }
  | { do: 'watch-server'; how: 'begin' | 'socketBack' | 'end' }
  /**
   * The stay is over: release devices, timers and watches.
   * @property hangUp whether the call still exists and the page has to end it
   * @property resume what was shown last, if the page brings the person back by itself
   */
  | { do: 'release'; reason: LeaveReason; hangUp: boolean; resume: MeetingState | null }

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
    case 'room-updated':
      return event.room.updated?.length ? show(roomUpdated(shown, event)) : [course, []]
    case 'room-ended':
      return [{ ...course, roomEnded: true }, []]
    case 'member':
      return show(withMembers(shown, withMember(shown.members, event.member)))
    case 'member-updated':
      return memberUpdated(course, event.member)
    case 'member-left':
      return memberLeft(course, event)
    case 'role-changed':
      return roleChanged(course, event)
    case 'audience':
      return show({ audienceCount: event.total })
    case 'reacted': {
      const { reactions, id } = withReaction(shown.reactions, event.reaction)
      return [withShown(course, { reactions }), [{ do: 'end-reaction-later', id }]]
    }
    case 'reaction-over':
      return show({ reactions: shown.reactions.filter(({ id }) => id !== event.id) })
    case 'layout-changed':
      return show({ layout: event.name, tiles: event.tiles })
    case 'recording':
      return show({ recording: withReport(shown.recording, event.report) })
    case 'recording-ended':
      return show({ recording: null })
    case 'playback':
      return show({ playbacks: withPlayback(shown.playbacks, event.playback, event.monotonicMs) })
    case 'media-path':
      return reachable({ ...course, mediaConnected: course.mediaConnected || event.up }, 'media', event.up)
    case 'transport':
      return reachable(course, 'media', event.up)
    case 'picture':
      return show({ pictureFlows: event.flows })
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
      return show({
        phase: 'joined',
        role: event.role,
        permissions: event.permissions,
        canSend: event.canSend,
      })
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

const withMembers = (shown: MeetingState, members: readonly MeetingMember[]): Partial<MeetingState> => ({
  members,
  hands: raisedHands(shown.hands, members),
})

/** The room as a whole, at the start and after each change of the own role. */
function subscribed(
  shown: MeetingState,
  { selfId, room, nowMs, monotonicMs }: Extract<MeetingEvent, { kind: 'subscribed' }>,
): Partial<MeetingState> {
  const members = room.members?.reduce(withMember, []) ?? shown.members
  const recording = recordingOf(room, nowMs)
  return {
    ...withMembers(shown, members),
    selfId,
    sessionId: room.id,
    title: room.display_name ?? room.name ?? null,
    layout: room.layout_name ?? shown.layout,
    settings: settingsOf(room, shown.settings),
    // A recording that this page knows already keeps its clock.
    recording: recording && (shown.recording ?? recording),
    streaming: room.streaming ?? false,
    playbacks: (room.playbacks ?? []).reduce<MeetingState['playbacks']>(
      (list, playback) => withPlayback(list, playback, monotonicMs),
      [],
    ),
  }
}

function roomUpdated(
  shown: MeetingState,
  { room, nowMs }: Extract<MeetingEvent, { kind: 'room-updated' }>,
): Partial<MeetingState> {
  const { recording, layout_name, streaming } = room
  return {
    layout: layout_name ?? shown.layout,
    settings: settingsOf(room, shown.settings),
    ...(streaming !== undefined && { streaming }),
    ...(recording === true && {
      recording: shown.recording ?? recordingOf({ ...room, recordings: [] }, nowMs),
    }),
    ...(recording === false && { recording: null }),
  }
}

function roleChanged(
  course: MeetingCourse,
  { role, permissions, canSend }: Extract<MeetingEvent, { kind: 'role-changed' }>,
): Step {
  const { shown } = course
  const after = withShown(course, { role, permissions, canSend })
  if (role === shown.role) return [after, []]
  if (role === 'member') return [after, [told('promoted')]]
  // The others are told that this member left. The member itself is not.
  return [
    withShown(after, withMembers(shown, withoutMember(shown.members, shown.selfId ?? ''))),
    [told('demoted')],
  ]
}

const told = (what: 'promoted' | 'demoted' | 'members-had-to-leave'): MeetingEffect => ({
  do: 'tell',
  title: t(`meeting.${what}`),
  hint: t(`meeting.${what}-hint`),
})

function memberUpdated(course: MeetingCourse, member: MemberPayload): Step {
  const { members, selfId, role } = course.shown
  // The client reports a new place of every member that it ever had, also of the person who only watches now.
  if (role === 'audience' && member.id === selfId) return [course, []]
  const before = members.find((one) => one.id === member.id)
  const after = withShown(course, withMembers(course.shown, withMember(members, member)))
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
  const after = withShown(course, withMembers(course.shown, withoutMember(course.shown.members, memberId)))
  if (reason !== 'token_reset' && reason !== 'token_revoked') return [after, []]
  const isNew = monotonicMs - course.invitationVoidAtMs > voidTogetherMs
  return [{ ...after, invitationVoidAtMs: monotonicMs }, isNew ? [told('members-had-to-leave')] : []]
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
