import createClient, { type Client } from 'openapi-fetch'
import type { components, operations, paths } from './schema.ts'

export type { components, operations, paths }

/** The resources of the API, by the names that the API document gives them. */
export type Resources = components['schemas']

/** How to sign in: as the server of a project, or as one of its users. */
export type Credentials = { projectId: string; apiToken: string } | { userToken: string }

export interface ApiClientOptions {
  /** Origin of the server, such as `https://meet.example.org`; empty for that of the page. */
  baseUrl: string
  credentials: Credentials
  /** Sends the requests; the one of the platform unless given. */
  fetch?: (request: Request) => Promise<Response>
}

/** A client whose paths, parameters, bodies and answers have the types of the API document. */
export type ApiClient = Client<paths>

/** Makes a client. Its methods resolve with `data` or, for answers that are no success, with `error`. */
export function createApiClient({ baseUrl, credentials, fetch }: ApiClientOptions): ApiClient {
  return createClient<paths>({
    baseUrl,
    headers: { accept: 'application/json', authorization: authorization(credentials) },
    ...(fetch && { fetch }),
  })
}

/** RFC 7617 with both halves in UTF-8, or RFC 6750. */
function authorization(credentials: Credentials): string {
  if ('userToken' in credentials) return `Bearer ${credentials.userToken}`
  const bytes = new TextEncoder().encode(`${credentials.projectId}:${credentials.apiToken}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
