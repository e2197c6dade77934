import { shower } from '../../resources/answers.ts'
import {
  LiveFigures,
  Problem,
  StorageUse,
  USAGE_PERIODS,
  Usage,
  UsageQuery,
} from '../../resources/dashboard.ts'
import { formatMoment } from '../../resources/dates.ts'
import { eventFields } from '../../resources/event.ts'
import { Page, PagingQuery } from '../../resources/paging.ts'
import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Dashboard'
const showEvent = shower(eventFields, 'event')

/** `/now`, `/usage`, `/storage` and `/problems`: the overview of a project. */
export const overviewOperations: Operation[] = [
  operation(
    {
      route: 'GET /now',
      operationId: 'getLiveFigures',
      summary: 'Count what runs',
      description:
        'Rooms, people, recordings and streams of the project at this moment. An addition of Parley.',
      tag,
      answer: LiveFigures,
    },
    async ({ projectId }, { dashboard }) => dashboard.now(projectId),
  ),

  operation(
    {
      route: 'GET /usage',
      operationId: 'getUsage',
      summary: 'Read the use of the last hours',
      description:
        'Minutes of members, recordings and streams by hour, with their cost. What still runs is included. An addition of Parley.',
      tag,
      query: UsageQuery,
      answer: Usage,
    },
    async ({ projectId, query }, { dashboard }) => {
      const usage = await dashboard.usage(projectId, USAGE_PERIODS[query.period ?? 'day'])
      return {
        start: formatMoment(usage.start),
        member_minutes: usage.memberMs.map(minutes),
        recorded_minutes: usage.recordedMs.map(minutes),
        streamed_minutes: usage.streamedMs.map(minutes),
        cost_in_dollars: usage.costInDollars.map((dollars) => Math.round(dollars * 1e6) / 1e6),
      }
    },
  ),

  operation(
    {
      route: 'GET /storage',
      operationId: 'getStorageUse',
      summary: 'Read the space that recordings take',
      description:
        'Size of the recordings of the project, and what is left on the disk. An addition of Parley.',
      tag,
      answer: StorageUse,
    },
    async ({ projectId }, { dashboard }) => {
      const use = await dashboard.storageUse(projectId)
      return {
        recordings: use.recordings,
        recordings_bytes: use.recordingsBytes,
        free_bytes: use.freeBytes,
        total_bytes: use.totalBytes,
      }
    },
  ),

  operation(
    {
      route: 'GET /problems',
      operationId: 'listProblems',
      summary: 'List problems',
      description: 'Events of all sessions that are warnings or errors, newest first. An addition of Parley.',
      tag,
      query: PagingQuery,
      answer: Page(Problem),
    },
    async (request, { dashboard }) => {
      const page = await dashboard.problems(request.projectId, request.listRequest)
      return request.answerPage(
        page,
        ({ roomName, ...event }) => ({ ...showEvent(event), room_name: roomName }),
        (event) => event.created_at,
      )
    },
  ),
]

/** To hundredths of a minute. */
const minutes = (ms: number): number => Math.round(ms / 600) / 100
