import { causeOf, onReaction, onRoleChange, onSocket, payloadOf, type RoomSession, roleOf } from './client.ts'
import type { Playback, Recording } from './media-requests.ts'
import type { MeetingEvent } from './meeting-machine.ts'
import type { MemberPayload } from './members.ts'
import type { PlaybackPayload } from './playback-state.ts'
import { isReaction } from './reactions/reaction.ts'
import type { RoomPayload } from './room-payload.ts'

/** The receiver of the client's events. */
export interface MeetingListener {
  take: (event: MeetingEvent) => void
  /** The running recording; null when it has ended. */
  recording: (recording: Recording | null) => void
  /** A playback that started or changed. */
  playback: (playback: Playback) => void
  playbackEnded: (id: string) => void
  /** A track arrives. A promotion or demotion brings new ones. */
  track: (event: RTCTrackEvent) => void
}

/** Translates the client's events into meeting events. */
export function listenToMeeting(session: RoomSession, listener: MeetingListener): void {
  const { take, track } = listener
  session.on('room.subscribed', ({ member_id, room_session }) =>
    take({
      kind: 'subscribed',
      selfId: member_id,
      room: room_session as unknown as RoomPayload,
      nowMs: Date.now(),
      monotonicMs: performance.now(),
    }),
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

  session.on('room.audienceCount', ({ total }) => take({ kind: 'audience', total }))
  onRoleChange(session, ({ join_as, audio_allowed, video_allowed, room }) =>
    take({
      kind: 'role-changed',
      role: roleOf(join_as),
      permissions: room?.scopes ?? [],
      canSend: { audio: audio_allowed === 'both', video: video_allowed === 'both' },
    }),
  )

  onReaction(session, ({ member, reaction }) => {
    if (!isReaction(reaction)) return
    take({ kind: 'reacted', reaction: { memberId: member.id, name: member.name, reaction } })
  })

  session.on('layout.changed', ({ layout }) => {
    const tiles = layout.layers.flatMap(({ member_id, visible, x, y, width, height }) =>
      member_id ? [{ memberId: member_id, x, y, width, height, live: visible }] : [],
    )
    take({ kind: 'layout-changed', name: layout.name, tiles })
  })

  const recordingChanged = (recording: Recording): void => {
    const { state, startedAt } = recording
    if (state === 'completed') return
    listener.recording(recording)
    const report = { state, startedAtMs: startedAt?.getTime() ?? null, nowMs: Date.now() }
    take({ kind: 'recording', report })
  }
  session.on('recording.started', recordingChanged)
  session.on('recording.updated', recordingChanged)
  session.on('recording.ended', () => {
    listener.recording(null)
    take({ kind: 'recording-ended' })
  })

  const playbackChanged = (playback: Playback): void => {
    listener.playback(playback)
    take({ kind: 'playback', playback: payloadOf(playback), monotonicMs: performance.now() })
  }
  session.on('playback.started', playbackChanged)
  session.on('playback.updated', playbackChanged)
  session.on('playback.ended', (playback) => {
    // The end is sure even if the server still gives it another state.
    const ended: PlaybackPayload = { ...payloadOf(playback), state: 'completed' }
    listener.playbackEnded(playback.id)
    take({ kind: 'playback', playback: ended, monotonicMs: performance.now() })
  })

  session.on('track', track)
  session.on('media.connected', () => take({ kind: 'media-path', up: true }))
  session.on('media.reconnecting', () => take({ kind: 'media-path', up: false }))
  onSocket(session, 'session.connected', () => take({ kind: 'socket', up: true }))
  onSocket(session, 'session.reconnecting', () => take({ kind: 'socket', up: false }))
  session.on('room.left', (params) =>
    take({ kind: 'call-ended', clientReason: params?.reason, cause: causeOf(session) }),
  )
}
