import { shower } from '../../resources/answers.ts'
import {
  type ActiveSession,
  type ListedRoomSession,
  type RoomSession,
  sessionFields,
} from '../../resources/room-session.ts'
import type { Broadcasts } from '../../rooms/hls/broadcasts.ts'
import type { Previews } from '../../rooms/previews.ts'
import type { Services } from '../../services.ts'
import type { SessionRecord } from '../../storage/records.ts'
import type { ApiRequest } from '../conventions/api-request.ts'

/** Seconds from start to end, or until now; null if there was no start. */
export function durationSeconds(start: number | null, end: number | null, now: number): number | null {
  return start === null ? null : Math.max(0, Math.round(((end ?? now) - start) / 1000))
}

/** Data for showing a session. */
interface Showing {
  /** Unix milliseconds. */
  now: number
  /** URL where the caller reaches this server. */
  origin: string
  previews: Pick<Previews, 'link'>
  broadcasts: Pick<Broadcasts, 'link'>
}

/** Collects the data for showing a session to the sender of this request. */
export function showingFor(
  { origin }: Pick<ApiRequest, 'origin'>,
  { clock, previews, broadcasts }: Pick<Services, 'clock' | 'previews' | 'broadcasts'>,
): Showing {
  return { now: clock.now(), origin, previews, broadcasts }
}

const showFields = shower(sessionFields, 'session')
const showActiveFields = shower(sessionFields, 'active_session')

/** Fields of a session that are computed when it is shown. */
function computed(session: SessionRecord, { now, origin, previews, broadcasts }: Showing) {
  const preview = previews.link(session)
  const playlist = broadcasts.link(session)
  return {
    duration: durationSeconds(session.start_time, session.end_time, now),
    preview_url: preview && origin + preview,
    hls_url: playlist && origin + playlist,
  }
}

/** The session in progress, as a room shows it. */
export function showActiveSession(session: SessionRecord, showing: Showing): ActiveSession {
  const audio_video_sync = session.sync_audio_video
  return showActiveFields(session, { ...computed(session, showing), audio_video_sync })
}

/** A session in an answer of its own. */
export const showSession = (session: SessionRecord, showing: Showing): RoomSession =>
  showFields(session, computed(session, showing))

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
