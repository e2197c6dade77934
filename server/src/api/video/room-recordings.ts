import { IdParams } from '../../resources/building-blocks.ts'
import { Event } from '../../resources/event.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { ListRecordingsQuery, RecordingQuery, RoomRecording } from '../../resources/room-recording.ts'
import { type Operation, operation } from '../conventions/operation.ts'
import { showEvent } from './show-event.ts'
import { showRecording } from './show-recording.ts'

const tag = 'Room recordings'

/** `/room_recordings`: four operations; the fifth, of one session, is with the sessions. */
export const roomRecordingOperations: Operation[] = [
  operation(
    {
      route: 'GET /room_recordings',
      operationId: 'listRoomRecordings',
      summary: 'List room recordings',
      description: 'All recordings of the project, newest first, each with a fresh link to its file.',
      tag,
      query: ListRecordingsQuery,
      answer: Page(RoomRecording),
      hasSecrets: true,
    },
    async (request, services) => {
      const page = await services.recordings.list(request.projectId, request.listRequest)
      const show = showRecording(services, request, request.query.media_ttl)
      return request.answerPage(page, show, (recording) => recording.created_at)
    },
  ),

  operation(
    {
      route: 'GET /room_recordings/:id',
      operationId: 'getRoomRecording',
      summary: 'Get a room recording',
      description: 'One recording, with a fresh link to its file once it is completed.',
      tag,
      params: IdParams,
      query: RecordingQuery,
      answer: RoomRecording,
      hasSecrets: true,
    },
    async (request, services) => {
      const recording = await services.recordings.get(request.projectId, request.params.id)
      return showRecording(services, request, request.query.media_ttl)(recording)
    },
  ),

  operation(
    {
      route: 'GET /room_recordings/:id/events',
      operationId: 'listRoomRecordingEvents',
      summary: 'List events of a recording',
      description: 'What happened to it, oldest first.',
      tag,
      params: IdParams,
      query: PagingQuery,
      answer: Page(Event),
    },
    async (request, { recordings }) => {
      const { projectId, params, listRequest } = request
      const page = await recordings.listEvents(projectId, params.id, listRequest)
      return request.answerPage(page, showEvent, (event) => event.created_at)
    },
  ),

  operation(
    {
      route: 'DELETE /room_recordings/:id',
      operationId: 'deleteRoomRecording',
      summary: 'Delete a room recording',
      description:
        'Deletes record and file; links to it stop working. One that is running or paused has to be stopped before.',
      tag,
      errorCodes: { 422: ['invalid_state'] },
      params: IdParams,
    },
    ({ projectId, params }, { recordings }) => recordings.delete(projectId, params.id),
  ),
]
