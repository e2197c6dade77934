/** Requests that this page sent to the API, for people who want to do the same by a program. */

/** A request of the page. Secrets are cut from it before it is kept. */
export interface SentRequest {
  /** Its place, from 1. */
  number: number
  method: string
  /** With the query. */
  path: string
  /** The JSON that was sent; null without a body. */
  body: string | null
  /** Status of the answer; 0 if none came; null while it is awaited. */
  status: number | null
}

/** Requests that are kept. */
const KEPT = 50
/** A longer body is not kept: nobody pastes it. */
const BODY_MAX_LENGTH = 20_000

let requests: readonly SentRequest[] = []
let count = 0
const listeners = new Set<() => void>()

/** The last requests, newest first. The same array until there is another. */
export const sentRequests = (): readonly SentRequest[] => requests

/** Calls a function after each change. @returns what ends that */
export function onSentRequest(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Forgets all requests: another person may sign in. */
export function forgetSentRequests(): void {
  change([])
}

/** Sends requests as `send` does, and keeps what was sent. */
export const watched =
  (send: (request: Request) => Promise<Response>) =>
  async (request: Request): Promise<Response> => {
    const number = ++count
    const { pathname, search } = new URL(request.url)
    // What is read from a copy is not missing when the request is sent.
    const body = request.method === 'GET' ? null : withoutSecrets(await request.clone().text())
    change([{ number, method: request.method, path: pathname + search, body, status: null }, ...requests])
    const settle = (status: number) =>
      change(requests.map((one) => (one.number === number ? { ...one, status } : one)))
    try {
      const response = await send(request)
      settle(response.status)
      return response
    } catch (error) {
      settle(0)
      throw error
    }
  }

function change(next: readonly SentRequest[]): void {
  requests = next.slice(0, KEPT)
  for (const listener of listeners) listener()
}

/** Stands for a secret that whoever repeats the request has to fill in. */
const HIDDEN = '***'

/** A body without passwords, tokens, and the keys of streams. @returns null for an empty one */
export function withoutSecrets(body: string): string | null {
  if (body === '' || body.length > BODY_MAX_LENGTH) return null
  try {
    return JSON.stringify(JSON.parse(body, hidden))
  } catch {
    // It is no JSON, so nobody knows what is in it.
    return null
  }
}

function hidden(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (/password|secret|token|key|credential/i.test(name)) return HIDDEN
  // The address of a stream has its key in the path, in the query or before the host.
  return value.replace(/^(rtmps?:\/\/)(?:[^/?#]*@)?([^/?#]*).*$/is, `$1$2/${HIDDEN}`)
}
