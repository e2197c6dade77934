import type { Resources } from '@parley/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import { placeOf } from '../../api/list-place.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import { startOfDay } from '../local-day.ts'

export type FoundSession = Resources['FoundSession']
export type RoomSession = Resources['RoomSession']
export type SessionEvent = Resources['Event']
export type MemberQuality = Resources['MemberQuality']
export type Recording = Resources['RoomRecording']

/** What sessions are looked for by, as the address has it: empty texts do not filter. Dates are `2030-01-31`, local. */
export interface SessionFilters {
  room: string
  person: string
  since: string
  until: string
  status: string
}

type Client = DashboardAccess['client']
const PAGE = 50
/** Lifetime of links to recordings, in seconds: longer than anybody leaves the screen open. */
const MEDIA_TTL_S = 12 * 60 * 60
const EVENTS_PAGE = 1000
/** A session that has more is shown up to these. */
const EVENT_PAGES_MAX = 20

/** Sessions by these filters, page by page. */
export const foundSessions = (client: Client, { room, person, since, until, status }: SessionFilters) =>
  infiniteQueryOptions({
    queryKey: [...keys.sessions, 'list', { room, person, since, until, status }],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...(room && { room_name: room }),
        ...(person && { person }),
        ...(since && { since: startOfDay(since, 0) }),
        ...(until && { until: startOfDay(until, 1) }),
        ...(status && { status: status as FoundSession['status'] }),
        ...placeOf(pageParam),
        page_size: PAGE,
      }
      return answerOf(client.GET('/api/dashboard/room_sessions', { params: { query }, signal }), signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.links.next,
  })

/** Names of rooms and people that begin like this. */
export const sessionNames = (client: Client, beginning: string) =>
  queryOptions({
    queryKey: ['session-names', beginning],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/api/dashboard/session_names', { params: { query: { beginning } }, signal }),
        signal,
      ),
    enabled: beginning !== '',
    placeholderData: (before) => (beginning === '' ? undefined : before),
    staleTime: 10_000,
  })

/** One session with all that happened in it. */
export interface WholeSession {
  session: RoomSession
  events: SessionEvent[]
  recordings: Recording[]
  qualities: MemberQuality[]
}

/** Reads a session, its events and its recordings. */
export const wholeSession = (client: Client, id: string) =>
  queryOptions({
    queryKey: [...keys.sessions, 'one', id],
    queryFn: async ({ signal }): Promise<WholeSession> => {
      const path = { id }
      const [session, recordings, events, quality] = await Promise.all([
        answerOf(client.GET('/api/video/room_sessions/{id}', { params: { path }, signal }), signal),
        answerOf(
          client.GET('/api/video/room_sessions/{id}/recordings', {
            params: { path, query: { page_size: 100, media_ttl: MEDIA_TTL_S } },
            signal,
          }),
          signal,
        ),
        eventsOf(client, id, signal),
        answerOf(
          client.GET('/api/dashboard/room_sessions/{id}/quality', { params: { path }, signal }),
          signal,
        ),
      ])
      return { session, recordings: recordings.data.toReversed(), events, qualities: quality.data }
    },
  })

async function eventsOf(client: Client, id: string, signal: AbortSignal): Promise<SessionEvent[]> {
  const events: SessionEvent[] = []
  let next: string | null = null
  for (let page = 0; page < EVENT_PAGES_MAX; page++) {
    const query = { ...placeOf(next), page_size: EVENTS_PAGE }
    const sent = client.GET('/api/video/room_sessions/{id}/events', {
      params: { path: { id }, query },
      signal,
    })
    const answer: Resources['EventPage'] = await answerOf(sent, signal)
    events.push(...answer.data)
    next = answer.links.next
    if (next === null) break
  }
  return events
}
