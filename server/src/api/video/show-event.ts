import { formatMoment } from '../../resources/dates.ts'
import type { Event } from '../../resources/event.ts'
import type { EventRecord } from '../../storage/records.ts'

/** An event of the history of a session or a recording. */
export function showEvent(event: EventRecord): Event {
  return {
    id: event.id,
    project_id: event.project_id,
    room_id: event.room_id,
    room_session_id: event.room_session_id,
    room_recording_id: event.room_recording_id,
    room_participant_id: event.room_participant_id,
    level: event.level,
    name: event.name,
    payload: event.payload,
    created_at: formatMoment(event.created_at),
  }
}
