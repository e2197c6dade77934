import type { Resources } from '@parley/api-client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf } from '../../api/http.ts'
import type { DashboardAccess } from '../dashboard-context.tsx'

export type User = Resources['User']
export type InvitedUser = Resources['InvitedUser']
export type ApiToken = Resources['ApiToken']
export type FreshApiToken = Resources['FreshApiToken']
export type AuditEntry = Resources['AuditEntry']
export type OwnSession = Resources['UserSession']
export type Role = User['role']
export type Scope = ApiToken['scopes'][number]

type Client = DashboardAccess['client']

export const USERS_KEY = ['management', 'users'] as const
export const TOKENS_KEY = ['management', 'api-tokens'] as const
export const SESSIONS_KEY = ['account', 'sessions'] as const

/** The users of the project. Rejects with status 403 for whoever may not administer. */
export const users = (client: Client) =>
  queryOptions({
    queryKey: USERS_KEY,
    queryFn: ({ signal }) => answerOf(client.GET('/api/management/users', { signal }), signal),
  })

/** The API tokens of the project. Rejects as {@link users}. */
export const apiTokens = (client: Client) =>
  queryOptions({
    queryKey: TOKENS_KEY,
    queryFn: ({ signal }) => answerOf(client.GET('/api/management/api_tokens', { signal }), signal),
  })

/** The audit log, page by page. Rejects as {@link users}. */
export const auditLog = (client: Client) =>
  infiniteQueryOptions({
    queryKey: ['management', 'audit-log'],
    queryFn: ({ pageParam, signal }) =>
      answerOf(client.GET('/api/management/audit_entries', { params: { query: pageParam }, signal }), signal),
    initialPageParam: { page_size: 50 } as { page_size?: number; page_number?: number; page_token?: string },
    getNextPageParam: ({ links }) => {
      if (links.next === null) return undefined
      const query = new URL(links.next, location.origin).searchParams
      const page_token = query.get('page_token') ?? ''
      return { page_size: 50, page_number: Number(query.get('page_number')), page_token }
    },
  })

/** The browsers in which the user is signed in. */
export const ownSessions = (client: Client) =>
  queryOptions({
    queryKey: SESSIONS_KEY,
    queryFn: ({ signal }) => answerOf(client.GET('/api/dashboard/sessions', { signal }), signal),
  })
