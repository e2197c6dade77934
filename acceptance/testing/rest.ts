import { Agent, request } from 'undici'

/** The address of a deployment, and the credentials for it. */
export interface Access {
  /** Origin, without a slash at the end. */
  baseUrl: string
  projectId: string
  apiToken: string
  /** Certificate authority in PEM; undefined if the system's own authorities are enough. */
  ca: string | undefined
}

/** An answer whose body has been read to its end. */
export interface Answer<T> {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: T
}

/** The body of a list answer. */
export interface Page<T> {
  data: T[]
  links: { self: string; first: string; next: string | null; prev: string | null }
}

/** The fields of a room that these tests read. */
export interface Room {
  id: string
  name: string
  fps: number
}

/** The fields of a room session that these tests read. */
export interface RoomSession {
  id: string
  room_id: string | null
  name: string
  status: string
  start_time: string | null
  end_time: string | null
  duration: number | null
  preview_url: string | null
  hls_url: string | null
}

/** A member of a session, present or past. */
export interface SessionMember {
  id: string
  name: string
  join_time: string
  leave_time: string | null
  duration: number | null
}

/** One entry of the history of a session or a recording. */
export interface HistoryEvent {
  name: string
  level: string
  payload: Record<string, unknown>
  created_at: string
}

/** How the connection of a member was, one value for each interval. */
export interface Quality {
  member_id: string
  talking: (number | null)[]
  round_trip_ms: (number | null)[]
  uplink_loss: (number | null)[]
  downlink_loss: (number | null)[]
}

/** A recording. */
export interface Recording {
  id: string
  room_session_id: string
  status: string
  started_at: string | null
  finished_at: string | null
  duration: number | null
  size_in_bytes: number | null
  format: string | null
  uri: string | null
}

const isWhole = (path: string) => path.startsWith('/api/') || path === '/healthz' || path === '/readyz'

/** Talks to a deployment as a customer's server does. */
export class Rest {
  readonly #access: Access
  readonly #agent: Agent

  constructor(access: Access) {
    this.#access = access
    this.#agent = new Agent({
      connect: access.ca === undefined ? {} : { ca: access.ca },
      headersTimeout: 15_000,
      bodyTimeout: 15_000,
    })
  }

  /** Fetches any URL of the deployment without credentials, like a browser that follows a link. */
  async download(url: string, headers: Record<string, string> = {}): Promise<Answer<Buffer>> {
    const target = new URL(url, this.#access.baseUrl)
    const answer = await request(target, { headers, dispatcher: this.#agent })
    const body = Buffer.from(await answer.body.arrayBuffer())
    return { status: answer.statusCode, headers: answer.headers, body }
  }

  /**
   * Sends one request and returns any answer.
   * @param path below `/api/video`, or a full path
   * @param authorization value of the header; by default the credentials of the deployment
   * @param headers others
   */
  async send<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
    authorization: string = this.#basic(),
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const { baseUrl } = this.#access
    const answer = await request(new URL(isWhole(path) ? path : `/api/video${path}`, baseUrl), {
      method,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
      dispatcher: this.#agent,
    })
    const text = await answer.body.text()
    return { status: answer.statusCode, headers: answer.headers, body: (text ? JSON.parse(text) : null) as T }
  }

  #basic(): string {
    const { projectId, apiToken } = this.#access
    return `Basic ${Buffer.from(`${projectId}:${apiToken}`).toString('base64')}`
  }

  /** @throws when the answer is not 2xx */
  async #expect<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
    const answer = await this.send<T>(method, path, body)
    if (answer.status < 200 || answer.status > 299) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
    return answer.body
  }

  /** Values of a figure of the server, one for each set of its labels. */
  async metric(name: string): Promise<number[]> {
    const { body } = await this.download('/metrics', { authorization: this.#basic() })
    const lines = body.toString('utf8').split('\n')
    return lines.filter((line) => line.startsWith(`${name}{`)).map((line) => Number(line.split('} ')[1]))
  }

  createRoom(settings: { name: string } & Record<string, unknown>): Promise<Room> {
    return this.#expect<Room>('POST', '/rooms', settings)
  }

  updateRoom(id: string, settings: Record<string, unknown>): Promise<Room> {
    return this.#expect<Room>('PUT', `/rooms/${id}`, settings)
  }

  async createRoomToken(settings: { room_name: string } & Record<string, unknown>): Promise<string> {
    return (await this.#expect<{ token: string }>('POST', '/room_tokens', settings)).token
  }

  session(id: string): Promise<RoomSession> {
    return this.#expect<RoomSession>('GET', `/room_sessions/${id}`)
  }

  async sessionsOf(roomName: string): Promise<RoomSession[]> {
    const path = `/room_sessions?room_name=${encodeURIComponent(roomName)}`
    return (await this.#expect<Page<RoomSession>>('GET', path)).data
  }

  async members(sessionId: string): Promise<SessionMember[]> {
    return (await this.#expect<Page<SessionMember>>('GET', `/room_sessions/${sessionId}/members`)).data
  }

  async sessionEvents(sessionId: string): Promise<HistoryEvent[]> {
    return (await this.#expect<Page<HistoryEvent>>('GET', `/room_sessions/${sessionId}/events`)).data
  }

  async sessionQuality(sessionId: string): Promise<Quality[]> {
    return (
      await this.#expect<{ data: Quality[] }>('GET', `/api/dashboard/room_sessions/${sessionId}/quality`)
    ).data
  }

  async sessionRecordings(sessionId: string): Promise<Recording[]> {
    return (await this.#expect<Page<Recording>>('GET', `/room_sessions/${sessionId}/recordings`)).data
  }

  recording(id: string, query = ''): Promise<Recording> {
    return this.#expect<Recording>('GET', `/room_recordings/${id}${query}`)
  }

  deleteRecording(id: string): Promise<null> {
    return this.#expect<null>('DELETE', `/room_recordings/${id}`)
  }

  async recordingEvents(id: string): Promise<HistoryEvent[]> {
    return (await this.#expect<Page<HistoryEvent>>('GET', `/room_recordings/${id}/events`)).data
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}
