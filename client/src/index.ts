import createClient, { type Client } from 'openapi-fetch'
import type { components, operations, paths } from './schema.ts'

export type { components, operations, paths }

/** The resources of the API, by their names in the API document. */
export type Resources = components['schemas']

/**
 * How to authenticate: as the server of a project, as one of its end users, or from a page of the server itself with the
 * session of a user, whose cookie the browser sends.
 */
export type Credentials =
  | { projectId: string; apiToken: string }
  | { userToken: string }
  | { csrfToken: string }

export interface ApiClientOptions {
  /** Origin of the server, such as `https://meet.example.org`. Empty for the origin of the page. */
  baseUrl: string
  credentials: Credentials
  /** Sends the requests; by default the platform's own `fetch`. */
  fetch?: (request: Request) => Promise<Response>
}

/** A client whose paths, parameters, bodies and answers have the types of the API document. */
export type ApiClient = Client<paths>

/** Creates a client. Its methods resolve with `data`, or with `error` if the answer is not a success. */
export function createApiClient({ baseUrl, credentials, fetch }: ApiClientOptions): ApiClient {
  return createClient<paths>({
    baseUrl,
    headers: { accept: 'application/json', ...authorization(credentials) },
    ...(fetch && { fetch }),
  })
}

/**
 * The headers with the credentials: Basic authentication with both parts in UTF-8 (RFC 7617), a bearer token (RFC 6750), or
 * what goes with the cookie of a session.
 */
function authorization(credentials: Credentials): Record<string, string> {
  if ('csrfToken' in credentials) return { 'x-csrf-token': credentials.csrfToken }
  if ('userToken' in credentials) return { authorization: `Bearer ${credentials.userToken}` }
  const bytes = new TextEncoder().encode(`${credentials.projectId}:${credentials.apiToken}`)
  return { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` }
}
