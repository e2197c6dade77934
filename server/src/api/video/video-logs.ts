import type { FastifyRequest } from 'fastify'
import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment, formatMomentOrNull } from '../../resources/dates.ts'
import { errorAnswers } from '../../resources/error.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { VideoLog } from '../../resources/video-log.ts'
import type { LogEntry } from '../../rooms/video-logs.ts'
import { callerOf } from '../conventions/authentication.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import type { VideoContext } from './video-context.ts'

/** `/logs`: two operations. */
export function videoLogRoutes(app: TypedApp, { videoLogs, paging, originOf }: VideoContext): void {
  app.get(
    '/logs',
    {
      schema: {
        operationId: 'listVideoLogs',
        summary: 'List video logs',
        description: 'Sessions, recordings and runs of streams of the project in one list, newest first.',
        tags: ['Logs'],
        querystring: PagingQuery,
        response: { 200: Page(VideoLog), ...errorAnswers(400, 401, 403, 422, 429, 500) },
      },
      preValidation: paging.restoreParameters,
    },
    async (request) => {
      const page = await videoLogs.list(callerOf(request).projectId, paging.listRequest(request))
      return paging.answer(request, page, showFor(request), (entry) => entry.created_at)
    },
  )

  app.get(
    '/logs/:id',
    {
      schema: {
        operationId: 'getVideoLog',
        summary: 'Get a video log',
        description: 'One entry, by the id of what it is about.',
        tags: ['Logs'],
        params: IdParams,
        response: { 200: VideoLog, ...errorAnswers(400, 401, 403, 404, 429, 500) },
      },
    },
    async (request) => {
      const { projectId } = callerOf(request)
      return showFor(request)(await videoLogs.get(projectId, request.params.id.toLowerCase()))
    },
  )

  function showFor(request: FastifyRequest): (entry: LogEntry) => VideoLog {
    const origin = originOf(request)
    return (entry) => showEntry(entry, origin)
  }
}

const TYPES = {
  session: 'video_conference_session',
  recording: 'video_room_recording',
  stream: 'video_stream',
} as const satisfies Record<LogEntry['type'], VideoLog['type']>

function showEntry({ resource, session, charges, ...entry }: LogEntry, origin: string): VideoLog {
  return {
    id: entry.id,
    source: 'realtime_api',
    type: TYPES[entry.type],
    url: resource && `${origin}/api/video/${resource.kind}/${resource.id}`,
    room_name: session?.name ?? null,
    status: entry.status,
    locked: session?.locked ?? false,
    started_at: formatMomentOrNull(entry.started_at),
    ended_at: formatMomentOrNull(entry.ended_at),
    charge: charges.reduce((sum, { costInDollars }) => sum + costInDollars, 0),
    created_at: formatMoment(entry.created_at),
    charge_details: charges.map(({ description, costInDollars }) => ({ description, charge: costInDollars })),
  }
}
