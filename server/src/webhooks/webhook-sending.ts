import type { Timer } from '../clock.ts'
import { OutboxSweeps } from './outbox-sweeps.ts'
import type { Sender } from './sending/sender.ts'
import type { WebhookSendingOptions } from './sending-options.ts'

/** Between two looks whether there is a webhook, until there is one: another process may have made it. */
const LOOK_MS = 5000

/** Sends events to webhooks. What does it is loaded once there is a webhook, because many servers have none. */
export class WebhookSending {
  readonly #options: WebhookSendingOptions
  readonly #sweeps: OutboxSweeps
  #sender: Promise<Sender> | null = null
  #timer: Timer | null = null
  #stopListening: () => void = () => {}
  #isStopped = true

  constructor(options: WebhookSendingOptions) {
    this.#options = options
    this.#sweeps = new OutboxSweeps(options)
  }

  /** Begins to send what waits, and what is written from now on. */
  start(): void {
    this.#isStopped = false
    this.#stopListening = this.#options.storage.onEvents(() => {
      if (this.#sender) this.wake()
    })
    this.#sweeps.start()
    this.#look()
  }

  /** Looks soon: something may be due. */
  wake(): void {
    if (this.#isStopped) return
    this.#timer?.cancel()
    this.#sender ??= this.#load()
    this.#sender.then((sender) => sender.wake()).catch(() => {})
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    this.#stopListening()
    await this.#sweeps.stop()
    const sender = await this.#sender?.catch(() => null)
    await sender?.stop()
  }

  #look(): void {
    const { storage, clock, log } = this.#options
    storage.webhookOutbox
      .hasAny()
      .then((hasAny) => {
        if (hasAny) this.wake()
      })
      .catch((error: unknown) => log.warn({ err: error }, 'what waits for webhooks could not be read'))
      .finally(() => {
        if (!this.#sender && !this.#isStopped) this.#timer = clock.after(LOOK_MS, () => this.#look())
      })
  }

  async #load(): Promise<Sender> {
    const { Sender } = await import('./sending/sender.ts')
    const sender = new Sender(this.#options)
    try {
      await sender.start()
    } catch (error) {
      this.#options.log.warn({ err: error }, 'webhooks cannot be sent now; this is tried again')
      this.#sender = null
      if (!this.#isStopped) this.#timer = this.#options.clock.after(LOOK_MS, () => this.#look())
      throw error
    }
    return sender
  }
}
