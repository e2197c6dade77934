import type { Resources } from '@parley/api-client'
import { infiniteQueryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'

export type LoggedRequest = Resources['LoggedRequest']

/** What the log is filtered by, as the address has it. Empty texts do not filter. */
export interface RequestFilters {
  method: string
  /** Such as `4xx`. */
  status: string
  text: string
}

type Client = DashboardAccess['client']
export const REQUESTS_KEY = ['developers', 'requests'] as const
const PAGE = 50

/** The log by these filters, newest first, page by page. */
export const loggedRequests = (client: Client, { method, status, text }: RequestFilters) =>
  infiniteQueryOptions({
    queryKey: [...REQUESTS_KEY, method, status, text],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...(method && { method: method as 'GET' }),
        ...(status && { status: status as '2xx' }),
        ...(text && { text }),
        ...pageParam,
        page_size: PAGE,
      }
      return answerOf(client.GET('/api/dashboard/requests', { params: { query }, signal }), signal)
    },
    initialPageParam: {} as { page_number?: number; page_token?: string },
    getNextPageParam: ({ links }) => {
      if (links.next === null) return undefined
      const query = new URL(links.next, location.origin).searchParams
      return { page_number: Number(query.get('page_number')), page_token: query.get('page_token') ?? '' }
    },
  })

/** Whether a request that came by the event stream belongs into the list. The server filters in the same way. */
function fits({ method, status, text }: RequestFilters, request: LoggedRequest): boolean {
  if (method && request.method !== method) return false
  if (status && String(request.status)[0] !== status[0]) return false
  const { path, request_id, credential_name, error_code } = request
  const wanted = text.toLowerCase()
  return [path, request_id, credential_name ?? '', error_code ?? ''].some((one) =>
    one.toLowerCase().includes(wanted),
  )
}

/** The list with what came meanwhile on top. What is in it already is not added again. */
export function withNews(
  listed: readonly LoggedRequest[],
  news: readonly LoggedRequest[],
  filters: RequestFilters,
): LoggedRequest[] {
  const newest = Math.max(0, ...listed.slice(0, 1).map(({ id }) => Number(id)))
  const added = news.filter((one) => Number(one.id) > newest && fits(filters, one)).toReversed()
  return [...added, ...listed]
}
