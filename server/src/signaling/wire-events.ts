import type { MemberRole } from '../rooms/sessions/member-role.ts'
import type { SessionEvent, SessionView } from '../rooms/sessions/participant.ts'
import type { RoomRecord } from '../storage/records.ts'
import { type OutgoingEvent, outgoingEvent } from './json-rpc.ts'
import {
  changedRoomFields,
  eventChannel,
  layoutObject,
  memberObject,
  playbackObject,
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
 * Encoded events, by origin if they contain a link. Everybody who is told an event shares its frame, so it is encoded
 * once.
 */
const encoded = new WeakMap<SessionEvent, Map<string, OutgoingEvent>>()

/**
 * The event as it is sent (docs/protocol.md, section 4.2).
 * @param at Unix milliseconds
 */
export function encodedEvent(event: SessionEvent, receiver: Receiver, at: number): OutgoingEvent {
  const known = encoded.get(event) ?? new Map<string, OutgoingEvent>()
  encoded.set(event, known)
  const key = hasLink(event) ? receiver.origin : ''
  const same = known.get(key)
  if (same) return same
  const { type, params } = wireEvent(event, receiver)
  const outgoing = outgoingEvent(type, params, { channel: eventChannel(event.session), at })
  known.set(key, outgoing)
  return outgoing
}

const wireTypes = new Map<SessionEvent['type'], string>([
  ['subscribed', 'video.room.subscribed'],
  ['audience_count', 'video.room.audience_count'],
])

/** The name of an event on the wire, such as `video.member.joined`. */
export function wireTypeOf(type: SessionEvent['type']): string {
  const known = wireTypes.get(type)
  if (known !== undefined) return known
  const name = `video.${type.replace('_', '.')}`
  wireTypes.set(type, name)
  return name
}

/**
 * What a back end gets when it subscribes to the channel of a session: the session with its members.
 * @param origin URL where the receiver reaches this server
 * @param at Unix milliseconds
 */
export function sessionDescription(session: SessionView, origin: string, at: number): OutgoingEvent {
  const params = {
    room_id: session.roomId,
    room_session_id: session.id,
    ...describedRoom(session, origin),
  }
  return outgoingEvent(wireTypeOf('subscribed'), params, { channel: eventChannel(session), at })
}

/** The session with its members, and the twin for older clients, from before the field was renamed. */
function describedRoom(session: SessionView, origin: string) {
  const members = session.members.map((member) => memberObject(session, member))
  return {
    room_session: { ...roomSessionObject(session, origin), members },
    room: { ...roomObject(session, origin), members },
  }
}

const LINKED: ReadonlySet<SessionEvent['type']> = new Set(['subscribed', 'room_started', 'room_ended'])

/** Whether an event shows the whole session, which includes the link of its preview. */
const hasLink = ({ type, session }: SessionEvent) => session.previewPath !== null && LINKED.has(type)

function wireEvent(event: SessionEvent, { origin, callIdOf, authorizationIn }: Receiver): WireEvent {
  const { session } = event
  const ids = { room_id: session.roomId, room_session_id: session.id }
  switch (event.type) {
    case 'subscribed':
      return {
        type: 'video.room.subscribed',
        params: {
          call_id: callIdOf(event.legId),
          member_id: event.member.id,
          ...describedRoom(session, origin),
        },
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
    case 'room_started':
    case 'room_ended':
      return {
        type: wireTypeOf(event.type),
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
    case 'member_reacted': {
      const { member, reaction } = event
      return {
        type: 'video.member.reacted',
        params: { ...ids, member: { id: member.id, name: member.name }, reaction },
      }
    }
    case 'member_promoted':
    case 'member_demoted':
      return {
        type: wireTypeOf(event.type),
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
    case 'playback_started':
    case 'playback_updated':
    case 'playback_ended':
      return {
        type: `video.playback.${event.type.slice('playback_'.length)}`,
        params: { ...ids, playback: playbackObject(event.playback) },
      }
    case 'audience_count':
      return { type: 'video.room.audience_count', params: { ...ids, total: event.total } }
  }
}
