import createClient, { type Client } from 'openapi-fetch'
import type { components, operations, paths } from './schema.ts'

export type { components, operations, paths }

/** The resources of the API, by their names in the API document. */
export type Resources = components['schemas']

/** How to authenticate: as the server of a project, or as one of its users. */
export type Credentials = { projectId: string; apiToken: string } | { userToken: string }

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
    headers: { accept: 'application/json', authorization: authorization(credentials) },
    ...(fetch && { fetch }),
  })
}

/** Basic authentication with both parts in UTF-8 (RFC 7617), or a bearer token (RFC 6750). */
function authorization(credentials: Credentials): string {
  if ('userToken' in credentials) return `Bearer ${credentials.userToken}`
  const bytes = new TextEncoder().encode(`${credentials.projectId}:${credentials.apiToken}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
