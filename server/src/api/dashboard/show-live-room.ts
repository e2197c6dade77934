import { formatMoment } from '../../resources/dates.ts'
import type { LiveRoom } from '../../resources/live-room.ts'
import type { LiveSession } from '../../rooms/sessions/live-session.ts'
import type { ConnectionQuality } from '../../rooms/sessions/session-quality.ts'
import type { Services } from '../../services.ts'
import type { ApiRequest } from '../conventions/api-request.ts'

/** People that are named at most: an answer with a hundred large rooms stays small. */
const NAMED = 100

const showQuality = (quality: ConnectionQuality | null) =>
  quality && {
    level: quality.level,
    loss: Number(quality.loss.toFixed(4)),
    round_trip_ms: quality.roundTripMs === null ? null : Math.round(quality.roundTripMs),
  }

/** A running room with the people in it. */
export function showLiveRoom(
  session: LiveSession,
  { origin }: Pick<ApiRequest, 'origin'>,
  { roomActs }: Pick<Services, 'roomActs'>,
): LiveRoom {
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
    has_chat: roomActs.hasChat(session),
    people: members.filter(({ type }) => type === 'member').length,
    members: members.slice(0, NAMED).map((member) => ({
      id: member.id,
      name: member.name,
      type: member.type === 'audience' ? 'member' : member.type,
      audio_muted: member.audioMuted,
      video_muted: member.videoMuted,
      hand_raised: member.handRaised,
      connection: session.connectionOf(member),
      quality: showQuality(session.quality.latestOf(member)),
    })),
    audience: session.audienceCount,
    recording: recording ? (recording.state === 'paused' ? 'paused' : 'recording') : null,
    streams: session.streams.running.length,
  }
}
