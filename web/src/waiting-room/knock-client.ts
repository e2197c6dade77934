import { send } from '../api/http.ts'

/** Whether whoever knocked may come in. `gone`: the server does not know of it any more, for example after a restart. */
export type KnockAnswer =
  | { state: 'waiting' | 'refused' | 'gone' }
  /** @property pass lets in with the token; null if nobody needs one */
  | { state: 'let-in'; pass: string | null }

export interface KnockingPerson {
  id: string
  name: string
  /** ISO 8601. */
  since: string
}

/** A request that the server did not answer as it should. */
export class KnockFailed extends Error {
  override readonly name = 'KnockFailed'
  /** HTTP status. */
  readonly status: number

  constructor(status: number) {
    super(`knock: ${status}`)
    this.status = status
  }
}

/** Asks the server about those who wait, as the holder of a token. Every method rejects with KnockFailed, or if no answer comes. */
export class KnockClient {
  readonly #token: string

  constructor(token: string) {
    this.#token = token
  }

  async knock(name: string): Promise<{ id: string } & KnockAnswer> {
    return (await this.#ask('POST', '', { name })).json()
  }

  /** Waits up to 20 s for an answer. */
  async answer(id: string, signal: AbortSignal): Promise<KnockAnswer> {
    try {
      return await (await this.#ask('GET', `/${id}`, undefined, signal)).json()
    } catch (error) {
      if (error instanceof KnockFailed && error.status === 404) return { state: 'gone' }
      throw error
    }
  }

  /** Goes away. It is sent even if the page closes. */
  leave(id: string): void {
    void fetch(this.#request('DELETE', `/${id}`), { keepalive: true }).catch(() => {})
  }

  /** Waits up to 20 s for another list than the one with this version. */
  async list(version: number, signal: AbortSignal): Promise<{ version: number; knocks: KnockingPerson[] }> {
    return (await this.#ask('GET', `?known=${version}`, undefined, signal)).json()
  }

  async decide(id: string, letIn: boolean): Promise<void> {
    await this.#ask('POST', `/${id}/answer`, { let_in: letIn })
  }

  async #ask(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    // The server takes its time to answer, longer than the page otherwise waits.
    const request = this.#request(method, path, body, signal)
    const response = method === 'GET' ? await fetch(request, { cache: 'no-store' }) : await send(request)
    if (!response.ok) throw new KnockFailed(response.status)
    return response
  }

  #request(method: string, path: string, body?: object, signal?: AbortSignal): Request {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body && { 'content-type': 'application/json' }),
    }
    return new Request(`/page/knocks${path}`, {
      method,
      headers,
      credentials: 'omit',
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  }
}
