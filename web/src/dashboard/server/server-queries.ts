import type { Resources } from '@parley/api-client'
import { queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'
import { keys } from '../dashboard-queries.ts'

export type LogEntry = Resources['LogEntry']
export type LogLevel = LogEntry['level']
export type ConfigurationValue = Resources['ConfigurationValue']
export type Backups = Resources['Backups']

type Client = DashboardAccess['client']

/** The event stream says when sessions of the project begin and end. */
export const DRAIN_KEY = [...keys.sessions, 'drain'] as const
export const BACKUPS_KEY = ['server', 'backups'] as const
export const LOG_KEY = ['server', 'log'] as const
/** How often sessions of other projects are counted while the server is emptied, in milliseconds. */
const COUNT_MS = 10_000
/** How often the progress of a backup is asked for, in milliseconds. */
const PROGRESS_MS = 1000

/** What runs. Rejects with status 403 for whoever does not operate the server, as all of these. */
export const serverVersion = (client: Client) =>
  queryOptions({
    queryKey: ['server', 'version'],
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/server/version', { signal }), signal),
  })

/** The configuration in effect. */
export const configuration = (client: Client) =>
  queryOptions({
    queryKey: ['server', 'configuration'],
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/server/configuration', { signal }), signal),
  })

/** Whether the server is being emptied. */
export const drainState = (client: Client) =>
  queryOptions({
    queryKey: DRAIN_KEY,
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/server/drain', { signal }), signal),
    refetchInterval: ({ state }) => (state.data?.draining ? COUNT_MS : false),
  })

/** The backups. They are read again while one is being made. */
export const backups = (client: Client) =>
  queryOptions({
    queryKey: BACKUPS_KEY,
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/server/backups', { signal }), signal),
    refetchInterval: ({ state }) => (state.data?.running ? PROGRESS_MS : false),
  })

/** The end of the log, newest first. */
export const logLines = (client: Client, level: LogLevel) =>
  queryOptions({
    queryKey: [...LOG_KEY, level],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/dashboard/server/log', { params: { query: { level } }, signal }), signal),
  })
