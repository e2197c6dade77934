import type { Logger } from 'pino'
import { recordAct, SERVER } from '../../audit/audit.ts'
import type { Clock } from '../../clock.ts'
import type { WebhookRecord } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'

/** Between two notes that a webhook works again and that it does not, so that one that does both is noted seldom. */
const NOTE_PAUSE_MS = 5000

interface HealthParts {
  storage: Storage
  clock: Clock
  log: Logger
  disableAfterMs: number
}

/** Notes since when a webhook fails, and disables one that is gone or has failed for days. */
export class Health {
  readonly #parts: HealthParts
  #notedAt = Number.NEGATIVE_INFINITY

  constructor(parts: HealthParts) {
    this.#parts = parts
  }

  /** @returns the webhook as it is now */
  async after(webhook: WebhookRecord, result: 'taken' | 'failed' | 'gone'): Promise<WebhookRecord> {
    const { clock, disableAfterMs } = this.#parts
    const { failing_since } = webhook
    if (result === 'gone') return this.#disable(webhook, 'gone')
    if (result === 'taken') return failing_since === null ? webhook : this.#note(webhook, null)
    if (failing_since === null) return this.#note(webhook, clock.now())
    return clock.now() - failing_since >= disableAfterMs ? this.#disable(webhook, 'failing') : webhook
  }

  async #note(webhook: WebhookRecord, failing_since: number | null): Promise<WebhookRecord> {
    const { storage, clock, log } = this.#parts
    const { id, project_id, url } = webhook
    if (clock.monotonicMs() - this.#notedAt < NOTE_PAUSE_MS) return webhook
    this.#notedAt = clock.monotonicMs()
    const ids = { webhookId: id, projectId: project_id, host: new URL(url).host }
    log.info(
      ids,
      failing_since === null ? 'a webhook takes messages again' : 'a webhook does not take messages',
    )
    return (await storage.webhooks.update(project_id, id, { failing_since }, { url })) ?? webhook
  }

  async #disable(webhook: WebhookRecord, reason: 'gone' | 'failing'): Promise<WebhookRecord> {
    const { storage, clock, log } = this.#parts
    const { id, project_id, url } = webhook
    const now = clock.now()
    const changes = { enabled: false, disabled_reason: reason, updated_at: now } as const
    const host = new URL(url).host
    const disabled = await storage.transaction(async (tx) => {
      // Somebody may have given it another address meanwhile.
      const after = await tx.webhooks.update(project_id, id, changes, { url, enabled: true })
      const act = { actor: SERVER, action: 'webhook.disable', projectId: project_id, target: id } as const
      if (after) await recordAct(tx, { ...act, details: { host, reason } }, now)
      return after
    })
    if (disabled) log.warn({ webhookId: id, projectId: project_id, host, reason }, 'a webhook was disabled')
    return disabled ?? webhook
  }
}
