import type { FoundSession as Found } from '../../dashboard/session-search.ts'
import { IdParams } from '../../resources/building-blocks.ts'
import {
  FoundSession,
  NamesQuery,
  SearchSessionsQuery,
  SessionNames,
} from '../../resources/dashboard-session.ts'
import { formatMoment, formatMomentOrNull, parseMoment } from '../../resources/dates.ts'
import { type MemberQuality, SessionQualities } from '../../resources/member-quality.ts'
import { Page } from '../../resources/paging.ts'
import type { MemberQualityRecord } from '../../storage/records.ts'

import { type Operation, operation } from '../conventions/operation.ts'

const tag = 'Dashboard'

/** `/room_sessions` and `/session_names`: sessions of the past, by room, person and date. */
export const sessionOperations: Operation[] = [
  operation(
    {
      route: 'GET /room_sessions',
      operationId: 'searchSessions',
      summary: 'Search sessions',
      description:
        'Sessions by room, person, date and status, newest first; those of a person in the order in which she joined. A page may hold fewer than asked for, although there are more. An addition of Parley.',
      tag,
      query: SearchSessionsQuery,
      answer: Page(FoundSession),
    },
    async (request, { sessionSearch }) => {
      const { room_name: roomName, person, since, until, status } = request.query
      const filter = { roomName, person, since: timeOf(since), until: timeOf(until), status }
      const page = await sessionSearch.list(request.projectId, filter, request.listRequest)
      const links = request.pageLinks(page, ({ at }) => at)
      return { links, data: page.rows.flatMap(({ found }) => (found ? [show(found)] : [])) }
    },
  ),

  operation(
    {
      route: 'GET /room_sessions/:id/quality',
      operationId: 'listSessionQuality',
      summary: 'Read how connections were',
      description:
        'Loss, jitter, round trip, bitrates and frame rate of each member over time, and how much she talked. Without the audience; of a session in progress up to a minute ago. An addition of Parley.',
      tag,
      params: IdParams,
      answer: SessionQualities,
    },
    async ({ projectId, params }, { roomSessions }) => ({
      data: (await roomSessions.listQuality(projectId, params.id)).map(showQuality),
    }),
  ),

  operation(
    {
      route: 'GET /session_names',
      operationId: 'listSessionNames',
      summary: 'Suggest names to search for',
      description: 'Names of rooms and people, by how they begin. An addition of Parley.',
      tag,
      query: NamesQuery,
      answer: SessionNames,
    },
    async ({ projectId, query }, { sessionSearch }) => sessionSearch.names(projectId, query.beginning ?? ''),
  ),
]

const timeOf = (text: string | undefined) => (text === undefined ? undefined : parseMoment(text))

const show = ({ session, people, recordings }: Found): FoundSession => ({
  id: session.id,
  name: session.name,
  status: session.status,
  start_time: formatMoment(session.start_time ?? session.created_at),
  end_time: formatMomentOrNull(session.end_time),
  people,
  recordings,
  cost_in_dollars: session.costInDollars,
})

const showQuality = ({ member_id, started_at, interval_ms, series }: MemberQualityRecord): MemberQuality => ({
  member_id,
  start_time: formatMoment(started_at),
  interval_ms,
  ...series,
})
