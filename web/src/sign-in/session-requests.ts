import type { Resources } from '@parley/api-client'
import { ApiError } from '../api/api-error.ts'
import { answerOf, type Session, sendWithSession } from '../api/http.ts'

/** What a one-time link invites to. */
export type SignInLink = Resources['SignInLink']

/** Name and password, and the project if the address named one. */
export interface EnteredName {
  name: string
  password: string
  projectId: string | null
}

/** Whether this browser may have a session: the cookie with its secret cannot be seen from here. */
export const mayHaveSession = (): boolean => /(?:^|; )parley-session=1/.test(document.cookie)

/** @returns null if there is no session, or it is over. @throws ApiError for all other failures */
export async function fetchSession(signal?: AbortSignal): Promise<Session | null> {
  try {
    const me = await request<Resources['Me']>('GET', 'me', { signal })
    if (!me.person || me.csrf_token === null) return null
    const { id, name, role, has_password: hasPassword } = me.person
    const person = { id, name, role, hasPassword }
    return { projectId: me.project.id, csrfToken: me.csrf_token, person, may: me.may }
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return null
    throw error
  }
}

/** Signs in. @throws ApiError, with status 401 for a wrong name or password */
export async function signInByName({ name, password, projectId }: EnteredName): Promise<Session> {
  await request('PUT', 'session', { body: { name, password, project_id: projectId } })
  return present()
}

/** @throws ApiError, with status 401 for a link that is void */
export function readSignInLink(secret: string, signal?: AbortSignal): Promise<SignInLink> {
  return request('GET', 'sign_in_link', { secret, signal })
}

/** Uses a one-time link up, and signs in. @throws ApiError */
export async function acceptSignInLink(
  secret: string,
  body: { name: string | null; password: string },
): Promise<Session> {
  await request('PUT', 'sign_in_link', { secret, body })
  return present()
}

/** Ends the session. @throws ApiError */
export async function endSession({ csrfToken }: Session): Promise<void> {
  await request('DELETE', 'session', { csrfToken })
}

/** The name of the OpenID provider of the server; null if there is none. */
export async function fetchProviderName(): Promise<string | null> {
  try {
    const answer = await fetch('/page/server', { credentials: 'omit', cache: 'no-store' })
    const { openid } = (await answer.json()) as { openid?: unknown }
    return typeof openid === 'string' ? openid : null
  } catch {
    return null
  }
}

async function present(): Promise<Session> {
  const session = await fetchSession()
  // The browser keeps no cookies of this server.
  if (!session) throw new ApiError(401, [])
  return session
}

interface Sent {
  body?: unknown
  secret?: string
  csrfToken?: string
  signal?: AbortSignal | undefined
}

function request<Answer>(
  method: 'GET' | 'PUT' | 'DELETE',
  path: string,
  { body, secret, csrfToken, signal }: Sent,
): Promise<Answer> {
  const headers = new Headers()
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (secret !== undefined) headers.set('authorization', `Bearer ${secret}`)
  if (csrfToken !== undefined) headers.set('x-csrf-token', csrfToken)
  const sent = new Request(`/api/dashboard/${path}`, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  })
  const ask = async () => {
    const response = await sendWithSession(sent)
    const text = await response.text()
    const read: unknown = text === '' ? undefined : JSON.parse(text)
    return response.ok ? { data: read as Answer, response } : { error: read, response }
  }
  return answerOf(ask(), signal)
}
