import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import { RecurringWork } from '../recurring-work.ts'
import type { Storage } from '../storage/storage.ts'

/** Between two sweeps. */
const INTERVAL_MS = 10 * 60_000
/** After the start of the server, which has other things to do first. */
const FIRST_DELAY_MS = 30_000
/** Rows that are deleted in one transaction. */
const PORTION = 500
/** Between two portions, so that requests and meetings come first. */
const PAUSE_MS = 20
/** Deliveries of one webhook that are kept at most. A receiver that is away for days cannot fill the disk. */
const MOST_KEPT = 1_000_000

export interface OutboxSweepsOptions {
  storage: Storage
  clock: Clock
  log: Logger
  /** How long deliveries are kept, also those that wait. */
  keptMs: number
}

/** Deletes old deliveries, and what is left of deleted webhooks, from time to time and in small portions. */
export class OutboxSweeps {
  readonly #options: OutboxSweepsOptions
  readonly #sweeps: RecurringWork

  constructor(options: OutboxSweepsOptions) {
    this.#options = options
    this.#sweeps = new RecurringWork(options, () => this.sweep().then(() => INTERVAL_MS))
  }

  start(): void {
    this.#sweeps.start(FIRST_DELAY_MS)
  }

  stop(): Promise<void> {
    return this.#sweeps.stop()
  }

  /** Sweeps once. What fails is left to the next time. */
  async sweep(): Promise<void> {
    const { storage, log } = this.#options
    try {
      let found = await storage.webhookDeliveries.nextWebhookId('')
      while (found && !this.#sweeps.isStopped) {
        await this.#sweepWebhook(found.project_id, found.webhook_id)
        found = await storage.webhookDeliveries.nextWebhookId(found.webhook_id)
      }
    } catch (error) {
      log.error({ err: error }, 'old deliveries to webhooks could not be deleted; this is tried again')
    }
  }

  async #sweepWebhook(projectId: string, webhookId: string): Promise<void> {
    const { storage, clock, keptMs, log } = this.#options
    const { webhookDeliveries, webhooks } = storage
    const isThere = (await webhooks.find(projectId, webhookId)) !== undefined
    const oldest = clock.now() - keptMs
    const before = isThere ? oldest : Number.MAX_SAFE_INTEGER
    const deleted = await this.#inPortions((limit) =>
      webhookDeliveries.deleteBefore(projectId, webhookId, before, limit),
    )
    await this.#inPortions((limit) =>
      webhookDeliveries.deleteStreams(webhookId, isThere ? oldest : null, limit),
    )
    const tooOld = await webhookDeliveries.timeOfNewest(projectId, webhookId, MOST_KEPT)
    if (tooOld !== undefined) {
      log.warn(
        { projectId, webhookId, kept: MOST_KEPT },
        'a webhook has too many deliveries: the oldest are deleted',
      )
      await this.#inPortions((limit) => webhookDeliveries.deleteBefore(projectId, webhookId, tooOld, limit))
    }
    if (deleted > 0) log.info({ projectId, webhookId, deleted }, 'old deliveries to a webhook were deleted')
  }

  /** @returns how many rows were deleted */
  async #inPortions(deleteSome: (limit: number) => Promise<number>): Promise<number> {
    let all = 0
    for (;;) {
      const deleted = this.#sweeps.isStopped ? 0 : await deleteSome(PORTION)
      all += deleted
      if (deleted < PORTION) return all
      await sleep(PAUSE_MS)
    }
  }
}
