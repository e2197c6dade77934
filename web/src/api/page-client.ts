import { type ApiClient, createApiClient } from '@parley/api-client'
import { type Access, isSession, send, sendWithSession } from './http.ts'

/** Makes the client of the API document for the page's own origin. */
export function createPageClient(access: Access): ApiClient {
  const sent = isSession(access) ? sendWithSession : send
  return createApiClient({ baseUrl: location.origin, credentials: access, fetch: sent })
}
