import { causeOf, onSocket, type RoomSession } from './client.ts'
import type { MeetingEvent, RoomPayload } from './meeting-machine.ts'
import type { MemberPayload } from './members.ts'

/** The receiver of the client's events. */
export interface MeetingListener {
  take: (event: MeetingEvent) => void
  /** The running recording, with a function to stop it; null when it has ended. */
  recording: (recording: { stop(): Promise<void> } | null) => void
  track: (receiver: RTCRtpReceiver) => void
}

/** Translates the client's events into meeting events. */
export function listenToMeeting(session: RoomSession, { take, recording, track }: MeetingListener): void {
  session.on('room.subscribed', ({ member_id, room_session }) =>
    take({ kind: 'subscribed', selfId: member_id, room: room_session as RoomPayload, nowMs: Date.now() }),
  )
  session.on('room.updated', ({ room_session }) =>
    take({ kind: 'room-updated', room: room_session as RoomPayload, nowMs: Date.now() }),
  )
  session.on('room.ended', () => take({ kind: 'room-ended' }))

  session.on('member.joined', ({ member }) => take({ kind: 'member', member: member as MemberPayload }))
  session.on('member.updated', ({ member }) =>
    take({ kind: 'member-updated', member: member as MemberPayload }),
  )
  session.on('member.talking', ({ member }) => take({ kind: 'member', member: member as MemberPayload }))
  session.on('member.left', (params) => {
    const { reason } = params as { reason?: string }
    take({ kind: 'member-left', memberId: params.member.id, reason, monotonicMs: performance.now() })
  })

  session.on('layout.changed', ({ layout }) => {
    const tiles = layout.layers.flatMap(({ member_id, visible, x, y, width, height }) =>
      member_id ? [{ memberId: member_id, x, y, width, height, live: visible }] : [],
    )
    take({ kind: 'layout-changed', tiles })
  })

  session.on('recording.started', (started) => {
    recording(started)
    take({ kind: 'recording-started', startedAtMs: started.startedAt?.getTime() ?? Date.now() })
  })
  session.on('recording.ended', () => {
    recording(null)
    take({ kind: 'recording-ended' })
  })

  session.on('track', ({ receiver }) => track(receiver))
  session.on('media.connected', () => take({ kind: 'media-path', up: true }))
  session.on('media.reconnecting', () => take({ kind: 'media-path', up: false }))
  onSocket(session, 'session.connected', () => take({ kind: 'socket', up: true }))
  onSocket(session, 'session.reconnecting', () => take({ kind: 'socket', up: false }))
  session.on('room.left', (params) =>
    take({ kind: 'call-ended', clientReason: params?.reason, cause: causeOf(session) }),
  )
}
