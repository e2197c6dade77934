import type { Msg, NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { type Messages, NodeUnreachable } from '../cluster.ts'
import { LocalAnswers } from '../local-answers.ts'
import { readReply, refusalReply } from './replies.ts'

/** What travels, besides the subject. */
interface Envelope {
  from: string
  message: unknown
}

/** {@link Messages} over the core of NATS: what nobody listens to is gone. */
export class NatsMessages implements Messages {
  readonly #connection: NatsConnection
  readonly #self: string
  readonly #prefix: string
  readonly #log: Logger
  readonly #answers = new LocalAnswers()
  readonly #onGap = new Set<() => void>()
  #isConnected = true

  constructor(
    connection: NatsConnection,
    { self, prefix, log }: { self: string; prefix: string; log: Logger },
  ) {
    this.#connection = connection
    this.#self = self
    this.#prefix = prefix
    this.#log = log
    void this.#follow()
    connection.subscribe(`${prefix}.node.${self}.>`, {
      callback: (error, message) => {
        if (!error) void this.#answer(message)
      },
    })
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  publish(subject: string, message: unknown): void {
    // The connection would keep it in memory until it is back. Whoever missed it learns so then.
    if (!this.#isConnected || this.#connection.isClosed()) return
    try {
      this.#connection.publish(`${this.#prefix}.all.${subject}`, this.#envelope(message))
    } catch (error) {
      this.#log.error({ err: error, subject }, 'message to the other nodes not sent')
    }
  }

  subscribe(subject: string, onMessage: (message: unknown, from: string) => void): () => void {
    const subscription = this.#connection.subscribe(`${this.#prefix}.all.${subject}`, {
      callback: (error, got) => {
        if (error) return
        try {
          const { from, message } = got.json<Envelope>()
          onMessage(message, from)
        } catch (fault) {
          this.#log.error({ err: fault, subject }, 'message of another node not handled')
        }
      },
    })
    return () => subscription.unsubscribe()
  }

  async request(node: string, subject: string, message: unknown, timeoutMs: number): Promise<unknown> {
    if (node === this.#self) return this.#answers.answer(subject, message, this.#self)
    let reply: Msg
    try {
      reply = await this.#connection.request(
        `${this.#prefix}.node.${node}.${subject}`,
        this.#envelope(message),
        { timeout: timeoutMs },
      )
    } catch (error) {
      throw new NodeUnreachable(`node ${node} does not answer (${subject})`, { cause: error })
    }
    return readReply(reply.json())
  }

  serve(subject: string, answer: (message: unknown, from: string) => Promise<unknown>): () => void {
    return this.#answers.add(subject, answer)
  }

  onGap(callback: () => void): () => void {
    this.#onGap.add(callback)
    return () => {
      this.#onGap.delete(callback)
    }
  }

  #envelope(message: unknown): string {
    return JSON.stringify({ from: this.#self, message } satisfies Envelope)
  }

  async #answer(request: Msg): Promise<void> {
    const subject = request.subject.slice(`${this.#prefix}.node.${this.#self}.`.length)
    let reply: object
    try {
      const { from, message } = request.json<Envelope>()
      reply = { value: (await this.#answers.answer(subject, message, from)) ?? null }
    } catch (error) {
      reply = refusalReply(error)
      if (!('refusal' in reply)) this.#log.error({ err: error, subject }, 'request of another node failed')
    }
    if (!this.#connection.isClosed()) request.respond(JSON.stringify(reply))
  }

  /** Notices when the connection is lost and back. */
  async #follow(): Promise<void> {
    for await (const { type } of this.#connection.status()) {
      if (type === 'disconnect') {
        if (this.#isConnected) this.#log.warn('the connection to NATS is lost')
        this.#isConnected = false
      }
      if (type !== 'reconnect') continue
      this.#isConnected = true
      this.#log.info('connected to NATS again')
      for (const callback of this.#onGap) callback()
    }
  }
}
