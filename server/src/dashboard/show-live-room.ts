import { formatMoment } from '../resources/dates.ts'
import type { LiveRoom } from '../resources/live-room.ts'
import type { LiveSession } from '../rooms/sessions/live-session.ts'
import type { ConnectionQuality } from '../rooms/sessions/session-quality.ts'

/** People that are named at most: an answer with a hundred large rooms stays small. */
const NAMED = 100

const showQuality = (quality: ConnectionQuality | null) =>
  quality && {
    level: quality.level,
    loss: Number(quality.loss.toFixed(4)),
    round_trip_ms: quality.roundTripMs === null ? null : Math.round(quality.roundTripMs),
  }

/** Whether a session has a chat. @param roomChat whether rooms that are no conferences have one */
export const hasChat = ({ room }: LiveSession, roomChat: boolean): boolean =>
  room.conference?.enable_chat ?? roomChat

/**
 * A running room with the people in it.
 * @param origin URL where the caller reaches this service
 * @param roomChat whether rooms that are no conferences have a chat
 */
export function showLiveRoom(session: LiveSession, origin: string, roomChat: boolean): LiveRoom {
  const members = session.members.filter(({ type }) => type !== 'audience')
  const [recording] = session.recordings.running
  return {
    id: session.id,
    room_id: session.roomId,
    name: session.name,
    display_name: session.displayName,
    start_time: formatMoment(session.startedAt ?? session.now),
    preview_url: session.previewPath && origin + session.previewPath,
    locked: session.locked,
    layout: session.layoutName,
    has_chat: hasChat(session, roomChat),
    people: members.filter(({ type }) => type === 'member').length,
    members: members.slice(0, NAMED).map((member) => ({
      id: member.id,
      name: member.name,
      type: member.type === 'audience' ? 'member' : member.type,
      audio_muted: member.audioMuted,
      video_muted: member.videoMuted,
      hand_raised: member.handRaised,
      connection: session.presence.of(member),
      quality: showQuality(session.quality.latestOf(member)),
    })),
    audience: session.audienceCount,
    recording: recording ? (recording.state === 'paused' ? 'paused' : 'recording') : null,
    streams: session.streams.running.length,
  }
}
