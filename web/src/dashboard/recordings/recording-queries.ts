import type { Resources } from '@parley/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import { placeOf } from '../../api/list-place.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import { startOfDay } from '../local-day.ts'

export type FoundRecording = Resources['FoundRecording']
export type RecordingShare = Resources['RecordingShare']

/** What recordings are looked for by, as the address has it: empty texts do not filter. Dates are `2030-01-31`, local. */
export interface RecordingFilters {
  room: string
  since: string
  until: string
  status: string
}

type Client = DashboardAccess['client']
const PAGE = 50
/** Lifetime of links to recordings, in seconds: longer than anybody leaves the screen open. */
const MEDIA_TTL_S = 12 * 60 * 60

/** Recordings by these filters, page by page. */
export const foundRecordings = (client: Client, { room, since, until, status }: RecordingFilters) =>
  infiniteQueryOptions({
    queryKey: [...keys.recordings, 'list', { room, since, until, status }],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...(room && { room_name: room }),
        ...(since && { since: startOfDay(since, 0) }),
        ...(until && { until: startOfDay(until, 1) }),
        ...(status && { status: status as FoundRecording['status'] & string }),
        ...placeOf(pageParam),
        page_size: PAGE,
      }
      return answerOf(client.GET('/api/dashboard/recordings', { params: { query }, signal }), signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.links.next,
  })

/** One recording with its room. */
export const foundRecording = (client: Client, id: string) =>
  queryOptions({
    queryKey: [...keys.recordings, 'one', id],
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { media_ttl: MEDIA_TTL_S } }
      return answerOf(client.GET('/api/dashboard/recordings/{id}', { params, signal }), signal)
    },
  })

/** The links by which a recording is shared. */
export const recordingShares = (client: Client, id: string) =>
  queryOptions({
    queryKey: [...keys.recordings, 'shares', id],
    queryFn: ({ signal }) => {
      const params = { path: { id } }
      return answerOf(client.GET('/api/video/room_recordings/{id}/shares', { params, signal }), signal)
    },
  })

/** For how long the project keeps recordings. */
export const retention = (client: Client) =>
  queryOptions({
    queryKey: [...keys.recordings, 'retention'],
    queryFn: ({ signal }) => answerOf(client.GET('/api/video/recording_retention', { signal }), signal),
  })

/** How much room the recordings of the project take, and may take. */
export const recordingQuota = (client: Client) =>
  queryOptions({
    queryKey: [...keys.recordings, 'quota'],
    queryFn: ({ signal }) => answerOf(client.GET('/api/video/recording_quota', { signal }), signal),
  })

/** What a rule of so many days would delete; not asked for without days. */
export const oldRecordings = (client: Client, days: number | null) =>
  queryOptions({
    queryKey: [...keys.recordings, 'old', days],
    queryFn: ({ signal }) => {
      const query = { days: days ?? 1 }
      return answerOf(client.GET('/api/dashboard/old_recordings', { params: { query }, signal }), signal)
    },
    enabled: days !== null,
  })
