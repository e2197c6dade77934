import { ApiError } from './api-error.ts'
import { type Access, type Credentials, isSession } from './http.ts'

/** One event of an event stream (server-sent events). */
export interface StreamEvent {
  event: string
  data: string
  /** The id of the newest event that had one; null if none has. */
  lastId: string | null
}

/** Takes the chunks of an event stream apart (HTML Living Standard, section 9.2.6). */
export class EventStreamReader {
  #rest = ''
  #lastId: string | null = null

  /** The events that end in this chunk. A chunk may end anywhere. */
  read(chunk: string): StreamEvent[] {
    const blocks = (this.#rest + chunk).split('\n\n')
    this.#rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => this.#eventOf(block))
  }

  #eventOf(block: string): StreamEvent[] {
    let event = 'message'
    const data: string[] = []
    for (const line of block.split('\n')) {
      const [, name, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? []
      if (name === 'event') event = value
      if (name === 'data') data.push(value)
      if (name === 'id') this.#lastId = value
    }
    return data.length === 0 ? [] : [{ event, data: data.join('\n'), lastId: this.#lastId }]
  }
}

/** Without a heartbeat for this long the connection counts as dead. The server sends one every 15 s. */
const SILENCE_MS = 40_000

/**
 * Reads an event stream of the dashboard until it ends. The credentials are in a header or in the cookie of the session,
 * never in the address.
 * @param path such as `/api/dashboard/events`
 * @param lastId id of the last event seen; null at first
 * @throws ApiError if it does not begin; the abort reason when `signal` aborts or nothing comes for too long
 */
export async function readEventStream(
  access: Access,
  path: string,
  lastId: string | null,
  onEvent: (event: StreamEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const silence = new AbortController()
  const either = AbortSignal.any([signal, silence.signal])
  let timer = setTimeout(() => silence.abort(), SILENCE_MS)
  try {
    const response = await fetch(path, {
      headers: {
        ...(!isSession(access) && { authorization: authorizationOf(access) }),
        ...(lastId !== null && { 'last-event-id': lastId }),
      },
      signal: either,
      credentials: isSession(access) ? 'same-origin' : 'omit',
      cache: 'no-store',
    })
    if (!response.ok || !response.body) throw new ApiError(response.status, [])
    const reader = new EventStreamReader()
    const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read()) {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(), SILENCE_MS)
      for (const event of reader.read(chunk.value)) onEvent(event)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The header with an API token: Basic authentication, both parts in UTF-8 (RFC 7617). */
export function authorizationOf({ projectId, apiToken }: Credentials): string {
  const pair = new TextEncoder().encode(`${projectId}:${apiToken}`)
  return `Basic ${btoa(String.fromCharCode(...pair))}`
}
