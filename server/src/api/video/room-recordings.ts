import { IdParams, NoContent } from '../../resources/building-blocks.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Event } from '../../resources/event.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { ListRecordingsQuery, RecordingQuery, RoomRecording } from '../../resources/room-recording.ts'
import { callerOf } from '../conventions/authentication.ts'
import { noContent } from '../conventions/no-content.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { showEvent } from './show-event.ts'
import { showRecording } from './show-recording.ts'
import type { VideoContext } from './video-context.ts'

/** `/room_recordings`: four operations; the fifth, of one session, is with the sessions. */
export function roomRecordingRoutes(app: TypedApp, context: VideoContext): void {
  const { recordings, paging } = context
  const preValidation = paging.restoreParameters

  app.get(
    '/room_recordings',
    {
      schema: {
        operationId: 'listRoomRecordings',
        summary: 'List room recordings',
        description: 'All recordings of the project, newest first, each with a fresh link to its file.',
        tags: ['Room recordings'],
        querystring: ListRecordingsQuery,
        response: { 200: Page(RoomRecording), ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
      preValidation,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const page = await recordings.list(projectId, paging.listRequest(request))
      const show = showRecording(context, request, request.query.media_ttl)
      return paging.answer(request, page, show, (recording) => recording.created_at)
    },
  )

  app.get(
    '/room_recordings/:id',
    {
      schema: {
        operationId: 'getRoomRecording',
        summary: 'Get a room recording',
        description: 'One recording, with a fresh link to its file once it is completed.',
        tags: ['Room recordings'],
        params: IdParams,
        querystring: RecordingQuery,
        response: { 200: RoomRecording, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const recording = await recordings.get(projectId, request.params.id.toLowerCase())
      return showRecording(context, request, request.query.media_ttl)(recording)
    },
  )

  app.get(
    '/room_recordings/:id/events',
    {
      schema: {
        operationId: 'listRoomRecordingEvents',
        summary: 'List events of a recording',
        description: 'What happened to it, oldest first.',
        tags: ['Room recordings'],
        params: IdParams,
        querystring: PagingQuery,
        response: { 200: Page(Event), ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
      preValidation,
    },
    async (request) => {
      const { projectId } = callerOf(request)
      const id = request.params.id.toLowerCase()
      const page = await recordings.listEvents(projectId, id, paging.listRequest(request))
      return paging.answer(request, page, showEvent, (event) => event.created_at)
    },
  )

  app.delete(
    '/room_recordings/:id',
    {
      schema: {
        operationId: 'deleteRoomRecording',
        summary: 'Delete a room recording',
        description:
          'Deletes record and file; links to it stop working. One that is running or paused has to be stopped before.',
        tags: ['Room recordings'],
        errorCodes: { 422: ['invalid_state'] },
        params: IdParams,
        response: { 204: NoContent, ...errorAnswers(400, 401, 403, 404, 422, 429, 500) },
      },
    },
    async (request, reply) => {
      await recordings.delete(callerOf(request).projectId, request.params.id.toLowerCase())
      return noContent(reply)
    },
  )
}
