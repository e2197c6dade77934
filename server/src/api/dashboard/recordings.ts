import { IdParams } from '../../resources/building-blocks.ts'
import {
  FoundRecording,
  OldRecordings,
  OldRecordingsQuery,
  SearchRecordingsQuery,
} from '../../resources/dashboard-recording.ts'
import { parseMoment } from '../../resources/dates.ts'
import { Page } from '../../resources/paging.ts'
import { RecordingQuery } from '../../resources/room-recording.ts'
import { isPlayable } from '../../rooms/recording-shares.ts'
import type { ShownRecording } from '../../rooms/recordings.ts'
import type { Services } from '../../services.ts'
import type { ApiRequest } from '../conventions/api-request.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { showRecording } from '../video/show-recording.ts'

const tag = 'Dashboard'

/** `/recordings` and `/old_recordings`: recordings of all rooms. */
export const recordingOperations: Operation[] = [
  operation(
    {
      route: 'GET /recordings',
      operationId: 'searchRecordings',
      summary: 'Search recordings',
      description:
        'Recordings by room, date and status, newest first. A page may hold fewer than asked for, although there are more. An addition of Parley.',
      tag,
      query: SearchRecordingsQuery,
      answer: Page(FoundRecording),
      hasSecrets: true,
    },
    async (request, services) => {
      const { room_name: roomName, since, until, status, media_ttl } = request.query
      const filter = { roomName, status, since: timeOf(since), until: timeOf(until) }
      const page = await services.recordings.search(request.projectId, filter, request.listRequest)
      return request.answerPage(page, show(services, request, media_ttl), ({ created_at }) => created_at)
    },
  ),

  operation(
    {
      route: 'GET /recordings/:id',
      operationId: 'getFoundRecording',
      summary: 'Get a recording with its room',
      description: 'One recording, as the list has it. An addition of Parley.',
      tag,
      params: IdParams,
      query: RecordingQuery,
      answer: FoundRecording,
      hasSecrets: true,
    },
    async (request, services) => {
      const recording = await services.recordings.get(request.projectId, request.params.id)
      return show(services, request, request.query.media_ttl)(recording)
    },
  ),

  operation(
    {
      route: 'GET /old_recordings',
      operationId: 'countOldRecordings',
      summary: 'Count old recordings',
      description: 'What a rule for the age of recordings would delete now. An addition of Parley.',
      tag,
      query: OldRecordingsQuery,
      answer: OldRecordings,
    },
    async ({ projectId, query }, { retention }) => {
      const { count, bytes } = await retention.olderThan(projectId, query.days, query.room_name)
      return { recordings: count, bytes }
    },
  ),
]

const timeOf = (text: string | undefined) => (text === undefined ? undefined : parseMoment(text))

function show(
  services: Services,
  request: Pick<ApiRequest, 'origin'>,
  ttlSeconds: number,
): (recording: ShownRecording) => FoundRecording {
  const showFields = showRecording(services, request, ttlSeconds)
  return (recording) => ({
    ...showFields(recording),
    room_name: recording.room_name,
    poster_uri: isPlayable(recording)
      ? request.origin + services.mediaLinks.posterLink(recording.project_id, recording.id)
      : null,
  })
}
