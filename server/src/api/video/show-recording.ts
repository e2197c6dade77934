import { shower } from '../../resources/answers.ts'
import { type RoomRecording, recordingFields } from '../../resources/room-recording.ts'
import type { ShownRecording } from '../../rooms/recordings.ts'
import type { Services } from '../../services.ts'
import type { ApiRequest } from '../conventions/api-request.ts'

const showFields = shower(recordingFields, 'recording')

/**
 * Shows recordings to the caller of this request, with links to their media.
 * @param ttlSeconds how long the links are valid
 */
export function showRecording(
  { mediaLinks }: Pick<Services, 'mediaLinks'>,
  { origin }: Pick<ApiRequest, 'origin'>,
  ttlSeconds: number,
): (recording: ShownRecording) => RoomRecording {
  return (recording) => {
    // There is no media before the file is complete, or when nothing could be saved.
    const hasMedia = recording.status === 'completed' && (recording.size_in_bytes ?? 0) > 0
    return showFields(recording, {
      duration: recording.lengthMs === null ? null : Math.max(0, Math.round(recording.lengthMs / 1000)),
      cost_in_dollars: recording.costInDollars,
      uri: hasMedia ? origin + mediaLinks.link(recording.project_id, recording.id, ttlSeconds) : null,
    })
  }
}
