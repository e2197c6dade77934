import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Direction } from 'radix-ui'
import { lazy, useState } from 'react'
import { ApiProvider } from './api/api-context.tsx'
import { ApiError } from './api/api-error.ts'
import { readEventStream } from './api/event-stream.ts'
import type { Access } from './api/http.ts'
import { createPageClient, writtenRequestSender } from './api/page-client.ts'
import { createParleyApi } from './api/parley-api.ts'
import { forgetSentRequests } from './api/sent-requests.ts'
import { AccessProvider } from './api/signed-in-access.ts'
import type { DashboardAccess } from './dashboard/dashboard-context.tsx'
import { currentDirection, loadTexts } from './languages/current-language.ts'
import { LobbyPage } from './lobby/lobby-page.tsx'
import { MemberVisit } from './room/member-visit.tsx'
import type { Route } from './routes.ts'
import './ui/toast-stack.tsx'
import { TooltipProvider } from './ui/tooltip.tsx'

const DashboardPage = lazy(async () => {
  const [{ DashboardPage }] = await Promise.all([
    import('./dashboard/dashboard-page.tsx'),
    loadTexts('dashboard'),
  ])
  return { default: DashboardPage }
})

interface SignedInProps {
  /** The screens keep the credentials that they started with. */
  credentials: Access
  route: Extract<Route, { screen: 'dashboard' | 'lobby' | 'visit' }>
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
  const [{ api, client, readStream, sendWritten, queries }] = useState(() => {
    forgetSentRequests()
    return {
      readStream: streamReader(credentials),
      sendWritten: writtenRequestSender(credentials),
      client: createPageClient(credentials),
      api: createParleyApi(credentials),
      queries: createQueries((error) => {
        if (error instanceof ApiError && error.status === 401) onRefused()
      }),
    }
  })
  return (
    <QueryClientProvider client={queries}>
      <AccessProvider value={credentials}>
        <ApiProvider value={api}>
          <Direction.Provider dir={currentDirection()}>
            <TooltipProvider>
              {route.screen === 'dashboard' ? (
                <DashboardPage
                  client={client}
                  projectId={credentials.projectId}
                  readStream={readStream}
                  sendWritten={sendWritten}
                  onSignOut={onSignOut}
                />
              ) : route.screen === 'visit' ? (
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
          </Direction.Provider>
        </ApiProvider>
      </AccessProvider>
    </QueryClientProvider>
  )
}

/** Reads event streams of the dashboard with these credentials. */
const streamReader =
  (credentials: Access): DashboardAccess['readStream'] =>
  (...reading) =>
    readEventStream(credentials, ...reading)

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
