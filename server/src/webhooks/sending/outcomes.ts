import type { Logger } from 'pino'
import type { Clock } from '../../clock.ts'
import type { DeliveryOutcome, WebhookOutboxRepository } from '../../storage/interfaces/webhooks.ts'
import { isPassingFailure } from '../../storage/passing-failure.ts'

/** Outcomes that are stored together. */
const BATCH = 50
const RETRY_MS = 1000

/**
 * Stores what came of attempts. Those that arrive while others are written are written together. They are few: each
 * stream that is being sent has some, and waits for them before it is given back.
 */
export class Outcomes {
  readonly #outbox: WebhookOutboxRepository
  readonly #clock: Clock
  readonly #log: Logger
  #queue: DeliveryOutcome[] = []
  #writing: Promise<void> | null = null
  #isStopped = false

  constructor(outbox: WebhookOutboxRepository, clock: Clock, log: Logger) {
    this.#outbox = outbox
    this.#clock = clock
    this.#log = log
  }

  add(outcome: DeliveryOutcome): void {
    this.#queue.push(outcome)
    this.#writing ??= this.#write()
  }

  /** Resolves once everything that was added is stored, or was given up. */
  async stored(): Promise<void> {
    while (this.#writing) await this.#writing
  }

  /** What the database does not take from now on is given up. It is sent again after the next start. */
  giveUp(): void {
    this.#isStopped = true
  }

  async #write(): Promise<void> {
    // Wait a turn: requests that end together are stored together.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, BATCH)
      if (!(await this.#settle(batch))) this.#queue.unshift(...batch)
    }
    this.#writing = null
  }

  /** @returns false if it has to be tried again */
  async #settle(batch: readonly DeliveryOutcome[]): Promise<boolean> {
    try {
      await this.#outbox.settle(batch)
      return true
    } catch (error) {
      if (!this.#isStopped && isPassingFailure(error)) {
        await new Promise<void>((resolve) => void this.#clock.after(RETRY_MS, resolve))
        return false
      }
      this.#log.error({ err: error, deliveries: batch.length }, 'the outcome of webhooks was not stored')
      return true
    }
  }
}
