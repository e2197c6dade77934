import type { ApiClient } from '@parley/api-client'
import { createContext, use } from 'react'
import type { StreamEvent } from '../api/event-stream.ts'
import type { WrittenRequest } from '../api/page-client.ts'

/** What the screens work with. */
export interface DashboardAccess {
  /** The client of the API, with the credentials of whoever signed in. */
  client: ApiClient
  projectId: string
  /** Sends a request that the person wrote. */
  sendWritten: (request: WrittenRequest) => Promise<Response>
  /** Reads an event stream until it ends: see `readEventStream`. */
  readStream: (
    path: string,
    lastId: string | null,
    onEvent: (event: StreamEvent) => void,
    signal: AbortSignal,
  ) => Promise<void>
}

const DashboardContext = createContext<DashboardAccess | null>(null)

/** Provides all screens below it with the API. */
export const DashboardProvider = DashboardContext.Provider

/** @throws outside of the dashboard */
export function useDashboard(): DashboardAccess {
  const access = use(DashboardContext)
  if (!access) throw new Error('This is not a screen of the dashboard.')
  return access
}
