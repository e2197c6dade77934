import type { Resources } from '@parley/api-client'
import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'

export type LiveRoom = Resources['LiveRoom']
export type LiveMember = LiveRoom['members'][number]

type Client = DashboardAccess['client']

/** The running rooms. The event stream says when they are to be read again. */
export const liveRooms = (client: Client) =>
  queryOptions({
    queryKey: [...keys.live, 'all'],
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/live_rooms', { signal }), signal),
  })

/** One running room. Rejects with status 404 once it has ended. */
export const liveRoom = (client: Client, id: string) =>
  queryOptions({
    queryKey: [...keys.live, id],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/dashboard/live_rooms/{id}', { params: { path: { id } }, signal }), signal),
  })
