import type { MemberRole } from '../rooms/sessions/member-role.ts'
import type { SessionEvent } from '../rooms/sessions/participant.ts'
import type { RoomRecord } from '../storage/records.ts'
import { eventFrame } from './json-rpc.ts'
import {
  changedRoomFields,
  eventChannel,
  layoutObject,
  memberObject,
  recordingObject,
  roomObject,
  roomSessionObject,
  streamObject,
} from './wire-objects.ts'

interface WireEvent {
  type: string
  params: object
}

/** The receiver of a frame. */
export interface Receiver {
  /** URL where the receiver reached this server, such as `https://meet.example.org`. Its links lead there. */
  origin: string
  /** The receiver's own call id for one of its legs. */
  callIdOf(legId: string): string | undefined
  /** The receiver's `authorization` in a role. Null is the role of its token. */
  authorizationIn(room: RoomRecord, role: MemberRole | null): object
}

/**
 * Frames by event, and by origin if they contain a link. Participants of a session share a frame, so it is encoded
 * once.
 */
const frames = new WeakMap<SessionEvent, Map<string, Buffer>>()

/**
 * The frame of an event (docs/protocol.md, section 4.2).
 * @param at Unix milliseconds
 */
export function sessionEventFrame(event: SessionEvent, receiver: Receiver, at: number): Buffer {
  const known = frames.get(event) ?? new Map<string, Buffer>()
  frames.set(event, known)
  const key = hasLink(event) ? receiver.origin : ''
  const same = known.get(key)
  if (same) return same
  const { type, params } = wireEvent(event, receiver)
  const frame = Buffer.from(eventFrame(type, params, { channel: eventChannel(event.session), at }))
  known.set(key, frame)
  return frame
}

/** Whether an event shows the whole session, which includes the link of its preview. */
const hasLink = ({ type, session }: SessionEvent) =>
  session.previewPath !== null && (type === 'subscribed' || type === 'room_ended')

function wireEvent(event: SessionEvent, { origin, callIdOf, authorizationIn }: Receiver): WireEvent {
  const { session } = event
  const ids = { room_id: session.roomId, room_session_id: session.id }
  switch (event.type) {
    case 'subscribed': {
      const members = session.members.map((member) => memberObject(session, member))
      return {
        type: 'video.room.subscribed',
        params: {
          call_id: callIdOf(event.legId),
          member_id: event.member.id,
          room_session: { ...roomSessionObject(session, origin), members },
          // Older clients, from before the field was renamed, read this one.
          room: { ...roomObject(session, origin), members },
        },
      }
    }
    case 'room_updated': {
      const changes = changedRoomFields(session, event.updated)
      return {
        type: 'video.room.updated',
        params: {
          ...ids,
          room: { room_session_id: session.id, ...changes },
          room_session: { id: session.id, ...changes },
        },
      }
    }
    case 'room_ended':
      return {
        type: 'video.room.ended',
        params: {
          ...ids,
          room: roomObject(session, origin),
          room_session: roomSessionObject(session, origin),
        },
      }
    case 'member_joined':
      return { type: 'video.member.joined', params: { ...ids, member: memberObject(session, event.member) } }
    case 'member_left':
      return {
        type: 'video.member.left',
        params: {
          ...ids,
          member: memberObject(session, event.member),
          ...(event.reason !== undefined && { reason: event.reason }),
        },
      }
    case 'member_updated':
      return {
        type: 'video.member.updated',
        // The whole member is sent, because the client replaces its entry with it.
        params: { ...ids, member: { ...memberObject(session, event.member), updated: event.updated } },
      }
    case 'member_talking': {
      const { id, talking } = event.member
      return { type: 'video.member.talking', params: { ...ids, member: { id, talking } } }
    }
    case 'member_promoted':
    case 'member_demoted':
      return {
        type: `video.member.${event.type.slice('member_'.length)}`,
        params: {
          ...ids,
          member_id: event.member.id,
          authorization: authorizationIn(session.room, event.role),
        },
      }
    case 'layout_changed':
      return {
        type: 'video.layout.changed',
        params: { ...ids, layout: layoutObject(session, event.layout) },
      }
    case 'recording_started':
    case 'recording_updated':
    case 'recording_ended':
      return {
        type: `video.recording.${event.type.slice('recording_'.length)}`,
        params: { ...ids, recording: recordingObject(event.recording) },
      }
    case 'stream_started':
    case 'stream_ended':
      return {
        type: `video.stream.${event.type.slice('stream_'.length)}`,
        params: { ...ids, stream: streamObject(event.stream) },
      }
    case 'audience_count':
      return { type: 'video.room.audience_count', params: { ...ids, total: event.total } }
  }
}
