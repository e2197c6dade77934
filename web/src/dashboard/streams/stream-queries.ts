import type { Resources } from '@parley/api-client'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import { placeOf } from '../../api/list-place.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'

export type ListedStream = Resources['ListedStream']
export type StreamStatus = ListedStream['status']

export const STREAM_STATUSES: readonly StreamStatus[] = ['live', 'connecting', 'retrying', 'waiting']

const PAGE = 50

/** Streams of the project, page by page. @param status null for all */
export const listedStreams = (client: DashboardAccess['client'], status: StreamStatus | null) =>
  infiniteQueryOptions({
    queryKey: [...keys.streams, 'list', status],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(status && { status }), ...placeOf(pageParam), page_size: PAGE }
      return answerOf(client.GET('/api/dashboard/streams', { params: { query }, signal }), signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.links.next,
  })
