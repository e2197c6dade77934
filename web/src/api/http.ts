import type { Resources } from '@parley/api-client'
import { ApiError, type ApiErrorEntry } from './api-error.ts'
import type { Project } from './resources.ts'

/** The API uses Basic authentication with the project's id and one of its API tokens. */
export interface Credentials {
  projectId: string
  apiToken: string
}

/** A user who signed in. The cookie of the session admits to the API; the browser alone has it. */
export interface Session {
  projectId: string
  /** Goes with every change. */
  csrfToken: string
  /** Name and role of the user. */
  person: { id: string; name: string; role: Role; hasPassword: boolean }
  may: readonly Right[]
}

export type Right = Resources['Me']['may'][number]
export type Role = NonNullable<Resources['Me']['person']>['role']

/** What admits to the API: an API token, or the session of a user. */
export type Access = Credentials | Session

/** Whether it is a user who signed in. */
export const isSession = (access: Access): access is Session => 'csrfToken' in access

/** If no answer comes in this time, the server counts as unreachable. */
const timeoutMs = 15_000

/** Sends a request to the page's own server, without cookies. */
export function send(request: Request): Promise<Response> {
  return ask(request, 'omit')
}

/** Sends a request to the page's own server, with the cookie of the session. */
export function sendWithSession(request: Request): Promise<Response> {
  return ask(request, 'same-origin')
}

function ask(request: Request, credentials: RequestCredentials): Promise<Response> {
  return fetch(request, {
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]),
    // Without cookies, the browser's own password dialogue does not open on a 401. With them, the server sees to that.
    credentials,
    cache: 'no-store',
  })
}

/**
 * Asks the server for the project that the credentials belong to. This endpoint is not part of the API.
 * @throws ApiError
 */
export async function fetchProject(credentials: Access, signal?: AbortSignal): Promise<Project> {
  if (isSession(credentials)) return fetchJson('/page/project', null, signal)
  const pair = new TextEncoder().encode(`${credentials.projectId}:${credentials.apiToken}`)
  const authorization = `Basic ${btoa(String.fromCharCode(...pair))}`
  return fetchJson('/page/project', authorization, signal)
}

/**
 * Asks the page's own server for JSON, without the client of the API, which guests need not load.
 * @param authorization null for the session
 * @throws ApiError
 */
export async function fetchJson<Answer>(
  path: string,
  authorization: string | null,
  signal?: AbortSignal,
): Promise<Answer> {
  const ask = async (): Promise<Outcome<Answer>> => {
    const headers = authorization === null ? {} : { authorization }
    const request = new Request(path, { headers, signal: signal ?? null })
    const response = await (authorization === null ? sendWithSession(request) : send(request))
    const body: unknown = await response.json()
    return response.ok ? { data: body as Answer, response } : { error: body, response }
  }
  return answerOf(ask(), signal)
}

/** What a method of the client resolves with. */
interface Outcome<Answer> {
  data?: Answer
  error?: unknown
  response: Response
}

/**
 * Waits for the answer of a request that was sent.
 * @param signal that the request was sent with
 * @throws ApiError for every answer that is not 2xx, and when no answer comes; the abort reason when `signal` aborts
 */
export async function answerOf<Answer>(
  sent: Promise<Outcome<Answer>>,
  signal?: AbortSignal,
): Promise<Answer> {
  let outcome: Outcome<Answer>
  try {
    outcome = await sent
  } catch (cause) {
    if (signal?.aborted) throw cause
    throw new ApiError(0, [], { cause })
  }
  const { response, data, error } = outcome
  if (!response.ok) throw new ApiError(response.status, errorEntries(error))
  return data as Answer
}

/** The entries of an error body. Empty if something other than this server answered, such as a proxy. */
function errorEntries(body: unknown): ApiErrorEntry[] {
  const isOurs = typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors)
  return isOurs ? (body.errors as ApiErrorEntry[]) : []
}
