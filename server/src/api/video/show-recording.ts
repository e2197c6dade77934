import type { ShownRecording } from '../../rooms/recordings.ts'
import type { RoomRecording } from '../../schemas/room-recording.ts'
import type { Services } from '../../services.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { formatMoment, formatMomentOrNull } from '../conventions/dates.ts'

/**
 * Shows recordings to the caller of this request, with links to their media.
 * @param ttlSeconds how long the links are good
 */
export function showRecording(
  { mediaLinks }: Pick<Services, 'mediaLinks'>,
  { origin }: Pick<ApiRequest, 'origin'>,
  ttlSeconds: number,
): (recording: ShownRecording) => RoomRecording {
  return (recording) => {
    // There is nothing to be had before the file is whole, nor where nothing of it could be saved.
    const hasMedia = recording.status === 'completed' && (recording.size_in_bytes ?? 0) > 0
    return {
      id: recording.id,
      room_session_id: recording.room_session_id,
      status: recording.status,
      started_at: formatMomentOrNull(recording.started_at),
      finished_at: formatMomentOrNull(recording.finished_at),
      duration: recording.lengthMs === null ? null : Math.max(0, Math.round(recording.lengthMs / 1000)),
      size_in_bytes: recording.size_in_bytes,
      format: recording.format,
      cost_in_dollars: recording.costInDollars,
      uri: hasMedia ? origin + mediaLinks.link(recording.project_id, recording.id, ttlSeconds) : null,
      created_at: formatMoment(recording.created_at),
      updated_at: formatMoment(recording.updated_at),
    }
  }
}
