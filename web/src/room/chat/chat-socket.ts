/** The server refused a request. `code` is that of its answer, such as `413`. */
export class ChatRefusal extends Error {
  override readonly name = 'ChatRefusal'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The socket closed before the answer came. */
export class SocketGone extends Error {
  override readonly name = 'SocketGone'
}

/** The server pings every 10 s. */
const SILENCE_LIMIT_MS = 25_000
const ANSWER_LIMIT_MS = 15_000

interface Frame {
  id?: unknown
  method?: string
  params?: { event_type?: string; params?: unknown; timestamp?: unknown }
  result?: { code?: string | number; message?: string; [field: string]: unknown }
  error?: { code: number; message: string }
}

interface Waiting {
  resolve(result: Record<string, unknown>): void
  reject(error: Error): void
}

interface ChatSocketOptions {
  url: string
  /** @param type such as `chat.channel.message` */
  onEvent: (type: string, params: unknown) => void
  onGone: () => void
}

/** One socket of the chat: requests with answers, and events (docs/protocol.md, sections 1.3 and 10). */
export class ChatSocket {
  readonly #socket: WebSocket
  readonly #options: ChatSocketOptions
  readonly #waiting = new Map<string, Waiting>()
  #isGone = false
  #nextId = 1
  #silence: ReturnType<typeof setTimeout> | undefined

  constructor(options: ChatSocketOptions) {
    this.#options = options
    this.#socket = new WebSocket(options.url)
    this.#socket.addEventListener('message', ({ data }) => this.#heard(String(data)))
    this.#socket.addEventListener('close', () => this.close())
    this.#watchSilence()
  }

  /**
   * Signs in with a token.
   * @returns the id of the member that it is for
   * @throws ChatRefusal, SocketGone
   */
  async signIn(token: string): Promise<string> {
    await this.#opened()
    const { authorization } = await this.request('signalwire.connect', {
      version: { major: 3, minor: 0, revision: 0 },
      authentication: { jwt_token: token },
    })
    return String((authorization as { member_id: unknown }).member_id)
  }

  /** @throws ChatRefusal, SocketGone */
  request(method: string, params: object): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      if (this.#isGone) {
        reject(new SocketGone())
        return
      }
      const id = String(this.#nextId++)
      const timer = setTimeout(() => this.close(), ANSWER_LIMIT_MS)
      this.#waiting.set(id, {
        resolve: (result) => {
          clearTimeout(timer)
          resolve(result)
        },
        reject: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      })
      this.#send({ id, method, params })
    })
  }

  /** Closes for good. What waits for an answer rejects. */
  close(): void {
    if (this.#isGone) return
    this.#isGone = true
    clearTimeout(this.#silence)
    this.#socket.close()
    for (const { reject } of this.#waiting.values()) reject(new SocketGone())
    this.#waiting.clear()
    this.#options.onGone()
  }

  #opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.addEventListener('open', () => resolve())
      this.#socket.addEventListener('close', () => reject(new SocketGone()))
    })
  }

  #heard(text: string): void {
    this.#watchSilence()
    const frame = JSON.parse(text) as Frame
    if (frame.method === undefined) {
      this.#answered(frame)
      return
    }
    const isPing = frame.method === 'signalwire.ping'
    this.#send({ id: frame.id, result: isPing ? { timestamp: frame.params?.timestamp } : {} })
    if (frame.method === 'signalwire.disconnect') this.close()
    const { event_type: type, params } = frame.params ?? {}
    if (frame.method === 'signalwire.event' && type !== undefined) this.#options.onEvent(type, params)
  }

  #answered({ id, result, error }: Frame): void {
    const waiting = this.#waiting.get(String(id))
    this.#waiting.delete(String(id))
    const { code = '200', message = '' } = result ?? {}
    if (error) waiting?.reject(new ChatRefusal(String(error.code), error.message))
    else if (/^2\d\d$/.test(String(code))) waiting?.resolve(result ?? {})
    else waiting?.reject(new ChatRefusal(String(code), message))
  }

  #send(frame: object): void {
    if (this.#socket.readyState === WebSocket.OPEN) {
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', ...frame }))
    }
  }

  #watchSilence(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.close(), SILENCE_LIMIT_MS)
  }
}
