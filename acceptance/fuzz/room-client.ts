import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, WebSocket } from 'undici'
import { eventually } from '../testing/eventually.ts'
import type { Access } from '../testing/rest.ts'

type Json = Record<string, unknown>

/** The longest time for any answer, in milliseconds. Clients give up after ten seconds. */
export const LONGEST_ANSWER_MS = 8000

/** A client that works frame by frame, with valid or invalid frames. */
export class RoomClient {
  /** Requests without an answer yet, by the request's id. */
  readonly #waiting = new Map<string | number, { sentAtMs: number; answered: (frame: Json) => void }>()
  readonly #socket: WebSocket
  readonly #agent: Agent
  /** Call messages and events that the server has sent. */
  readonly answers: Json[] = []

  private constructor(socket: WebSocket, agent: Agent) {
    this.#socket = socket
    this.#agent = agent
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Json))
    socket.addEventListener('close', () => this.#end())
    socket.addEventListener('error', () => {})
  }

  static async open({ baseUrl, ca }: Access): Promise<RoomClient> {
    const agent = new Agent({ connect: { ca: ca ?? '' } })
    const socket = new WebSocket(baseUrl.replace(/^http/, 'ws'), { dispatcher: agent })
    const client = new RoomClient(socket, agent)
    await once(socket, 'open')
    return client
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN
  }

  sendRaw(text: string): void {
    if (this.isOpen) this.#socket.send(text)
  }

  /** Resolves with the answer, or null if the server closed the socket. @throws if neither comes in time */
  async request(method: unknown, params: unknown, id: string | number = randomUUID()): Promise<Json | null> {
    const answered = this.expect(id)
    this.sendRaw(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    return (await answered).frame
  }

  /** Waits for the answer to a request with this id. */
  expect(id: string | number): Promise<{ frame: Json | null; tookMs: number }> {
    const sentAtMs = performance.now()
    if (!this.isOpen) return Promise.resolve({ frame: null, tookMs: 0 })
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id)
        reject(new Error(`no answer to ${id} in ${LONGEST_ANSWER_MS} ms`))
      }, LONGEST_ANSWER_MS)
      const answered = (frame: Json | null) => {
        clearTimeout(late)
        resolve({ frame, tookMs: performance.now() - sentAtMs })
      }
      this.#waiting.set(id, { sentAtMs, answered: answered as (frame: Json) => void })
    })
  }

  async connect(token: string): Promise<Json | null> {
    return this.request('signalwire.connect', { authentication: { jwt_token: token } })
  }

  /** Sends a call message. @returns the inner part of the answer */
  async verto(method: string, params: object): Promise<Json | null> {
    const frame = await this.request('video.message', {
      message: { jsonrpc: '2.0', id: randomUUID(), method, params },
    })
    return (frame?.result ?? null) as Json | null
  }

  /** Joins a call, and waits until the server has sent all of its events. @returns the result of the invite */
  async join(callID: string, offer: string): Promise<Json | null> {
    const result = await this.verto('verto.invite', { dialogParams: { callID }, sdp: offer })
    if (result?.code !== '200') return result
    const isTold = () => this.call.answer !== '' && this.call.sessionId !== ''
    await eventually('the answer and the session', async () => isTold() || !this.isOpen, Boolean, {
      everyMs: 5,
    })
    return result
  }

  #receive(frame: Json): void {
    if (frame.method === undefined) {
      const waiting = this.#waiting.get(frame.id as string)
      this.#waiting.delete(frame.id as string)
      waiting?.answered(frame)
      return
    }
    this.sendRaw(JSON.stringify({ jsonrpc: '2.0', id: frame.id, result: {} }))
    const { params } = frame as { params?: { params?: { method?: string; params?: Json } & Json } }
    const inner = params?.params
    if (inner?.method === 'verto.answer' || inner?.room_session) this.answers.push(inner)
  }

  /** The call as the server described it: the session's id, the member's id, and the SDP answer. */
  get call(): { sessionId: string; memberId: string; answer: string } {
    const subscribed = this.answers.find((event) => event.room_session)
    const answer = this.answers.find((event) => event.method === 'verto.answer')
    return {
      sessionId: String((subscribed?.room_session as Json | undefined)?.id ?? ''),
      memberId: String(subscribed?.member_id ?? ''),
      answer: String((answer?.params as Json | undefined)?.sdp ?? ''),
    }
  }

  #end(): void {
    for (const { answered } of this.#waiting.values()) answered(null as unknown as Json)
    this.#waiting.clear()
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.#agent.destroy()
  }
}
