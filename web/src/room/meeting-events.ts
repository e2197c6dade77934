import { onSocket, type RoomSession } from './client.ts'
import type { MeetingState } from './meeting-state.ts'
import { type MemberPayload, withMember, withoutMember } from './members.ts'

/** What the events of the client do to a meeting. */
export interface MeetingChanges {
  state: () => MeetingState
  change: (part: Partial<MeetingState>) => void
  /** The way of sound and picture broke, or is back. */
  mediaPath: (up: boolean) => void
  /** The socket of the client dropped, or is back. */
  socket: (up: boolean) => void
  /** The recording that runs now, with what stops it; null when it ended. */
  recording: (recording: { stop(): Promise<void> } | null) => void
  /** The own sound or picture was turned off or on, by whomever. */
  ownMute: (what: 'audioMuted' | 'videoMuted', muted: boolean) => void
  /** Somebody else was put out because their invitation is void; moderators are told. */
  invitationVoid: () => void
  track: (receiver: RTCRtpReceiver) => void
  roomEnded: () => void
  left: (clientReason: string | undefined) => void
}

/** Connects the events of the client to a meeting. Field names of payloads are those of the client protocol. */
export function listenToMeeting(session: RoomSession, meeting: MeetingChanges): void {
  const { state, change } = meeting

  session.on('room.subscribed', ({ member_id, room_session }) => {
    const { id, display_name, name, members = [] } = room_session as SubscribedRoom
    change({
      selfId: member_id,
      sessionId: id,
      title: display_name ?? name ?? null,
      members: (members as MemberPayload[]).reduce(withMember, state().members),
      recordingSince: recordingSince(room_session as SubscribedRoom),
    })
  })
  session.on('room.updated', ({ room_session }) => {
    const { updated, recording } = room_session as SubscribedRoom
    if (!updated?.includes('recording')) return
    change({ recordingSince: recording ? (state().recordingSince ?? Date.now()) : null })
  })
  session.on('room.ended', meeting.roomEnded)

  session.on('member.joined', ({ member }) => {
    change({ members: withMember(state().members, member as MemberPayload) })
  })
  session.on('member.updated', ({ member }) => {
    const before = state().members.find((one) => one.id === member.id)
    change({ members: withMember(state().members, member as MemberPayload) })
    const after = state().members.find((one) => one.id === member.id)
    if (!before || !after || after.id !== state().selfId) return
    for (const what of ['audioMuted', 'videoMuted'] as const) {
      if (before[what] !== after[what]) meeting.ownMute(what, after[what])
    }
  })
  session.on('member.talking', ({ member }) => {
    change({ members: withMember(state().members, member as MemberPayload) })
  })
  session.on('member.left', (params) => {
    change({ members: withoutMember(state().members, params.member.id) })
    const { reason } = params as { reason?: string }
    if (reason === 'token_reset' || reason === 'token_revoked') meeting.invitationVoid()
  })

  session.on('layout.changed', ({ layout }) => {
    const tiles = layout.layers.flatMap(({ member_id, visible, x, y, width, height }) =>
      member_id ? [{ memberId: member_id, x, y, width, height, live: visible }] : [],
    )
    change({ tiles })
  })

  session.on('recording.started', (recording) => {
    meeting.recording(recording)
    change({ recordingSince: recording.startedAt?.getTime() ?? Date.now() })
  })
  session.on('recording.ended', () => {
    meeting.recording(null)
    change({ recordingSince: null })
  })

  session.on('track', ({ receiver }) => meeting.track(receiver))
  session.on('media.connected', () => meeting.mediaPath(true))
  session.on('media.reconnecting', () => meeting.mediaPath(false))
  onSocket(session, 'session.connected', () => meeting.socket(true))
  onSocket(session, 'session.reconnecting', () => meeting.socket(false))
  session.on('room.left', (params) => meeting.left(params?.reason))
}

/** The parts of a room session that the page reads; the client's own types leave some of them out. */
interface SubscribedRoom {
  id: string
  name?: string
  display_name?: string
  members?: unknown[]
  recording?: boolean
  /** `started_at` in Unix seconds. */
  recordings?: { state: string; started_at: number | null }[]
  updated?: string[]
}

function recordingSince({ recording, recordings = [] }: SubscribedRoom): number | null {
  const running = recordings.find((one) => one.state !== 'completed')
  if (running?.started_at) return running.started_at * 1000
  return running || recording ? Date.now() : null
}
