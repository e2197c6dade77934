import { IdParams } from '../../resources/building-blocks.ts'
import { formatMoment, formatMomentOrNull } from '../../resources/dates.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { VideoLog } from '../../resources/video-log.ts'
import type { LogEntry } from '../../rooms/video-logs.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Logs'

/** `/logs`: two operations. */
export const videoLogOperations: Operation[] = [
  operation(
    {
      route: 'GET /logs',
      operationId: 'listVideoLogs',
      summary: 'List video logs',
      description: 'Sessions, recordings and runs of streams of the project in one list, newest first.',
      tag,
      query: PagingQuery,
      answer: Page(VideoLog),
    },
    async (request, { videoLogs }) => {
      const { projectId, listRequest, origin } = request
      const page = await videoLogs.list(projectId, listRequest)
      return request.answerPage(
        page,
        (entry) => showEntry(entry, origin),
        (entry) => entry.created_at,
      )
    },
  ),

  operation(
    {
      route: 'GET /logs/:id',
      operationId: 'getVideoLog',
      summary: 'Get a video log',
      description: 'One entry, by the id of what it is about.',
      tag,
      params: IdParams,
      answer: VideoLog,
    },
    async ({ projectId, params, origin }, { videoLogs }) =>
      showEntry(await videoLogs.get(projectId, params.id), origin),
  ),
]

const TYPES = {
  room_session: 'video_room_session',
  conference_session: 'video_conference_session',
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
