import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProvider } from './api/api-context.tsx'
import { ApiError } from './api/api-error.ts'
import type { Credentials } from './api/http.ts'
import { createParleyApi } from './api/parley-api.ts'
import { LobbyPage } from './lobby/lobby-page.tsx'
import { MemberVisit } from './room/member-visit.tsx'
import type { Route } from './routes.ts'
import './ui/toast-stack.tsx'
import { TooltipProvider } from './ui/tooltip.tsx'

interface SignedInProps {
  /** The screens keep the credentials that they started with. */
  credentials: Credentials
  route: Extract<Route, { screen: 'lobby' | 'visit' }>
  remembered: boolean
  onRemember: () => void
  onSignOut: () => void
  /** The server does not accept the credentials any more. */
  onRefused: () => void
}

/** The screens of people with the API token. */
export function SignedIn({
  credentials,
  route,
  remembered,
  onRemember,
  onSignOut,
  onRefused,
}: SignedInProps) {
  const [{ api, queries }] = useState(() => ({
    api: createParleyApi(credentials),
    queries: createQueries((error) => {
      if (error instanceof ApiError && error.status === 401) onRefused()
    }),
  }))
  return (
    <QueryClientProvider client={queries}>
      <ApiProvider value={api}>
        <TooltipProvider>
          {route.screen === 'visit' ? (
            <MemberVisit key={route.roomName} roomName={route.roomName} />
          ) : (
            <LobbyPage
              projectId={credentials.projectId}
              roomName={route.roomName}
              remembered={remembered}
              onRemember={onRemember}
              onSignOut={onSignOut}
            />
          )}
        </TooltipProvider>
      </ApiProvider>
    </QueryClientProvider>
  )
}

/**
 * Creates the cache of fetched data for one project. A refusal is final. A request that failed because of the network
 * is repeated.
 */
function createQueries(onError: (error: Error) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status >= 400),
        networkMode: 'always',
        staleTime: 1_000,
      },
      mutations: { networkMode: 'always' },
    },
  })
}
