import type { Resources } from '@parley/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'
import type { RoomKind } from './room-kinds.ts'

type Client = DashboardAccess['client']
export type ConferenceToken = Resources['ConferenceToken']

const PAGE = 50

/** Rooms or conferences by how their name or title begins, page by page. */
export const foundRooms = (client: Client, kind: RoomKind, beginning: string) =>
  infiniteQueryOptions({
    queryKey: [...keys.rooms, kind.path, 'list', beginning],
    queryFn: ({ pageParam, signal }) =>
      kind.list(client, { ...(beginning && { beginning }), ...pageParam, page_size: PAGE }, signal),
    initialPageParam: {} as { page_number?: number; page_token?: string },
    getNextPageParam: ({ links }) => {
      if (links.next === null) return undefined
      const query = new URL(links.next, location.origin).searchParams
      return { page_number: Number(query.get('page_number')), page_token: query.get('page_token') ?? '' }
    },
    placeholderData: (before) => before,
  })

/** One room or conference, with its session in progress. */
export const oneRoom = (client: Client, kind: RoomKind, id: string) =>
  queryOptions({
    queryKey: [...keys.rooms, kind.path, 'one', id],
    queryFn: ({ signal }) => kind.get(client, id, signal),
  })

/** The tokens of a conference with their links. Rejects with status 403 for whoever may only look. */
export const conferenceTokens = (client: Client, id: string) =>
  queryOptions({
    queryKey: [...keys.rooms, 'tokens', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } }
      const sent = client.GET('/api/video/conferences/{id}/conference_tokens', { params, signal })
      return (await answerOf(sent, signal)).data
    },
  })
