import { type ApiClient, createApiClient } from '@parley/api-client'
import { type Credentials, send } from './http.ts'

/** Makes the client of the API document for the page's own origin. */
export function createPageClient(credentials: Credentials): ApiClient {
  return createApiClient({ baseUrl: location.origin, credentials, fetch: send })
}
