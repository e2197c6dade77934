import { type ApiClient, createApiClient } from '@parley/api-client'
import { authorizationOf } from './event-stream.ts'
import { type Access, isSession, send, sendWithSession } from './http.ts'
import { watched } from './sent-requests.ts'

/** Makes the client of the API document for the page's own origin. */
export function createPageClient(access: Access): ApiClient {
  return createApiClient({ baseUrl: location.origin, credentials: access, fetch: senderFor(access) })
}

const senderFor = (access: Access) => watched(isSession(access) ? sendWithSession : send)

/** A request that a person wrote. */
export interface WrittenRequest {
  method: string
  /** With the query, from `/` on. */
  path: string
  body: string | null
}

/** Sends requests that a person wrote, with her credentials. Rejects when no answer comes. */
export const writtenRequestSender =
  (access: Access) =>
  ({ method, path, body }: WrittenRequest): Promise<Response> => {
    const headers = {
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(isSession(access)
        ? { 'x-csrf-token': access.csrfToken }
        : { authorization: authorizationOf(access) }),
    }
    return senderFor(access)(new Request(new URL(path, location.origin), { method, headers, body }))
  }
