import { ApiError, type ApiErrorEntry } from './api-error.ts'

/** What the API asks for: Basic authentication with the project's id and one of its API tokens. */
export interface Credentials {
  projectId: string
  apiToken: string
}

/** After this long without an answer the server counts as unreachable. */
const timeoutMs = 15_000

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: unknown
  signal?: AbortSignal | undefined
}

/**
 * Sends one request to the API on the page's own origin.
 * @param path from the root, like `/api/video/rooms`
 * @returns the parsed JSON body; undefined for 204
 * @throws ApiError for every answer that is not 2xx, and when no answer comes; the abort reason when `signal` aborts
 */
export async function request<Answer>(
  credentials: Credentials,
  path: string,
  { method = 'GET', body, signal }: RequestOptions = {},
): Promise<Answer> {
  const late = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        authorization: basicAuthorization(credentials),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, late]) : late,
      // The browser's own password dialogue must not open on a 401.
      credentials: 'omit',
      cache: 'no-store',
    })
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new ApiError(0, [], { cause })
  }
  if (!response.ok) throw new ApiError(response.status, await errorEntries(response))
  return response.status === 204 ? (undefined as Answer) : ((await response.json()) as Answer)
}

/** RFC 7617, with both halves in UTF-8. */
function basicAuthorization({ projectId, apiToken }: Credentials): string {
  const bytes = new TextEncoder().encode(`${projectId}:${apiToken}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** The entries of an error body; none when something other than our server answered (a proxy, say). */
async function errorEntries(response: Response): Promise<ApiErrorEntry[]> {
  try {
    const body = (await response.json()) as { errors?: ApiErrorEntry[] }
    return Array.isArray(body.errors) ? body.errors : []
  } catch {
    return []
  }
}
