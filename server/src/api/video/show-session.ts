import type { Previews } from '../../rooms/previews.ts'
import type { ActiveSession, ListedRoomSession, RoomSession } from '../../schemas/room-session.ts'
import type { Services } from '../../services.ts'
import type { SessionRecord } from '../../storage/records.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { formatMoment, formatMomentOrNull } from '../conventions/dates.ts'

/** Seconds from start to end, or until now; null for what never started. */
export function durationSeconds(start: number | null, end: number | null, now: number): number | null {
  return start === null ? null : Math.max(0, Math.round(((end ?? now) - start) / 1000))
}

/** What a session is shown with. */
interface Showing {
  /** Unix milliseconds. */
  now: number
  /** Where the caller reaches this server. */
  origin: string
  previews: Pick<Previews, 'link'>
}

/** Everything that a session is shown with to the sender of this request. */
export function showingFor(
  { origin }: Pick<ApiRequest, 'origin'>,
  { clock, previews }: Pick<Services, 'clock' | 'previews'>,
): Showing {
  return { now: clock.now(), origin, previews }
}

function shared(session: SessionRecord, { now, origin, previews }: Showing) {
  const preview = previews.link(session)
  return {
    id: session.id,
    room_id: session.room_id,
    name: session.name,
    display_name: session.display_name,
    join_from: formatMomentOrNull(session.join_from),
    join_until: formatMomentOrNull(session.join_until),
    remove_at: formatMomentOrNull(session.remove_at),
    remove_after_seconds_elapsed: session.remove_after_seconds_elapsed,
    layout: session.layout,
    max_members: session.max_members,
    fps: session.fps,
    quality: session.quality,
    start_time: formatMomentOrNull(session.start_time),
    end_time: formatMomentOrNull(session.end_time),
    duration: durationSeconds(session.start_time, session.end_time, now),
    status: session.status,
    record_on_start: session.record_on_start,
    preview_url: preview && origin + preview,
  }
}

/** The session in progress, as a room shows it. */
export function showActiveSession(session: SessionRecord, showing: Showing): ActiveSession {
  return {
    ...shared(session, showing),
    enable_room_previews: session.enable_room_previews,
    audio_video_sync: session.sync_audio_video,
  }
}

/** A session on its own. */
export function showSession(session: SessionRecord, showing: Showing): RoomSession {
  return {
    ...shared(session, showing),
    tone_on_entry_and_exit: session.tone_on_entry_and_exit,
    room_join_video_off: session.room_join_video_off,
    user_join_video_off: session.user_join_video_off,
    locked: session.locked,
    created_at: formatMoment(session.created_at),
    updated_at: formatMoment(session.updated_at),
    prioritize_handraise: session.prioritize_handraise,
    sync_audio_video: session.sync_audio_video,
  }
}

/** A session in a list. */
export function showListedSession(
  session: SessionRecord,
  costInDollars: number,
  showing: Showing,
): ListedRoomSession {
  return {
    ...showSession(session, showing),
    cost_in_dollars: costInDollars,
    enable_room_previews: session.enable_room_previews,
    locked_cover: null,
  }
}
