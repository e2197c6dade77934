import type { Resources } from '@parley/api-client'
import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../api/http.ts'
import type { DashboardAccess } from './dashboard-context.tsx'

export type LiveFigures = Resources['LiveFigures']
export type Usage = Resources['Usage']
export type Problem = Resources['Problem']
export type MediaWorker = Resources['MediaWorker']
export type Finding = Resources['Finding']
export type Period = 'day' | 'month'

type Client = DashboardAccess['client']

/** How often what grows without an event is asked for again, in milliseconds. All else comes by the event stream. */
const SELDOM_MS = 60_000

/** The query cache's keys: the event stream says which of them are to be read again. */
export const keys = {
  all: ['dashboard'],
  now: ['dashboard', 'now'],
  usage: ['dashboard', 'usage'],
  storage: ['dashboard', 'storage'],
  problems: ['dashboard', 'problems'],
  workers: ['dashboard', 'workers'],
  workerLoads: ['worker-loads'],
  checkup: ['server', 'checkup'],
  live: ['dashboard', 'live'],
  rooms: ['dashboard', 'rooms'],
  sessions: ['dashboard', 'sessions'],
  recordings: ['dashboard', 'recordings'],
  streams: ['dashboard', 'streams'],
} as const

/** What runs now. */
export const liveFigures = (client: Client) =>
  queryOptions({
    queryKey: keys.now,
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/now', { signal }), signal),
  })

/** Use by hour. */
export const usage = (client: Client, period: Period) =>
  queryOptions({
    queryKey: [...keys.usage, period],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/dashboard/usage', { params: { query: { period } }, signal }), signal),
    refetchInterval: SELDOM_MS,
  })

/** Space on the disk. */
export const storageUse = (client: Client) =>
  queryOptions({
    queryKey: keys.storage,
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/storage', { signal }), signal),
    refetchInterval: SELDOM_MS,
  })

/** The newest problems. */
export const problems = (client: Client) =>
  queryOptions({
    queryKey: keys.problems,
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/api/dashboard/problems', { params: { query: { page_size: 6 } }, signal }),
        signal,
      ),
    refetchInterval: SELDOM_MS,
  })

/** What the event stream says of a media worker. */
export interface WorkerLoad {
  ports: { first: number; last: number }
  state: MediaWorker['state']
  load: { cpu: number; rooms: number; legs: number; step: MediaWorker['overload_step'] }
}

/** The media workers. Rejects with status 403 for whoever may not see the server. */
export const mediaWorkers = (client: Client) =>
  queryOptions({
    queryKey: keys.workers,
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/workers', { signal }), signal),
  })

/** The newest checkup of the server. Rejects as {@link mediaWorkers}. */
export const checkup = (client: Client) =>
  queryOptions({
    queryKey: keys.checkup,
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/checkup', { signal }), signal),
    staleTime: SELDOM_MS,
  })
