import { type Actor, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { DeliveryStatus } from '../resources/webhook-delivery.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { WebhookDeliveryRecord, WebhookRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** Which deliveries of a webhook are sent again. Times are Unix milliseconds, `until` is excluded. */
export interface ReplayFilter {
  status: 'failed' | 'delivered'
  since: number
  until: number
}

/** The log of what was sent to webhooks, and what waits. */
export interface WebhookDeliveries {
  /**
   * Newest first.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  list(
    projectId: string,
    webhookId: string,
    status: DeliveryStatus | undefined,
    request: ListRequest,
  ): Promise<ListPage<WebhookDeliveryRecord>>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, webhookId: string, id: string): Promise<WebhookDeliveryRecord>
  /**
   * Sends a delivery again. One that waits for its next attempt is sent now, as soon as it is its turn.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  replay(projectId: string, webhookId: string, id: string, by: Actor): Promise<WebhookDeliveryRecord>
  /**
   * Sends many deliveries again, oldest first; those of a session one after the other.
   * @returns how many, and where to continue if there are more than fit into one call
   * @throws Refusal `provided_id_is_unrecognized`
   */
  replayAll(
    projectId: string,
    webhookId: string,
    filter: ReplayFilter,
    by: Actor,
  ): Promise<{ replayed: number; continueSince: number | null }>
}

/** Deliveries that one call sends again. */
const MOST_REPLAYED = 1000

export interface WebhookDeliveriesOptions {
  storage: Storage
  clock: Clock
  /** Something waits to be sent. */
  wake: () => void
}

export function createWebhookDeliveries(options: WebhookDeliveriesOptions): WebhookDeliveries {
  const { storage, clock, wake } = options

  async function webhookOf(projectId: string, id: string): Promise<WebhookRecord> {
    const webhook = await storage.webhooks.find(projectId, id)
    if (!webhook) throw unrecognized('id')
    return webhook
  }

  async function find(projectId: string, webhookId: string, id: string): Promise<WebhookDeliveryRecord> {
    await webhookOf(projectId, webhookId)
    const delivery = await storage.webhookDeliveries.find(projectId, webhookId, id)
    if (!delivery) throw unrecognized('delivery_id')
    return delivery
  }

  /** @param found deliveries of one webhook, oldest first */
  async function sendAgain(
    webhook: WebhookRecord,
    found: readonly WebhookDeliveryRecord[],
    by: Actor,
  ): Promise<number> {
    const now = clock.now()
    const bySession = Map.groupBy(found, ({ room_session_id, id }) => room_session_id ?? id)
    const replayed = await storage.transaction(async (tx) => {
      let count = 0
      for (const ofSession of bySession.values()) {
        const ids = ofSession.map(({ id }) => id)
        count += await tx.webhookDeliveries.sendAgain(webhook, ids, newId(), now)
      }
      const act = { actor: by, action: 'webhook.replay', projectId: webhook.project_id } as const
      if (count > 0) await recordAct(tx, { ...act, target: webhook.id, details: { deliveries: count } }, now)
      return count
    })
    wake()
    return replayed
  }

  return {
    async list(projectId, webhookId, status, request) {
      await webhookOf(projectId, webhookId)
      return storage.webhookDeliveries.list(projectId, webhookId, { status }, request)
    },

    get: find,

    async replay(projectId, webhookId, id, by) {
      const webhook = await webhookOf(projectId, webhookId)
      const delivery = await find(projectId, webhookId, id)
      if (delivery.status === 'pending') {
        await storage.webhookOutbox.hurry(webhookId, clock.now(), { streamId: delivery.stream_id })
        wake()
      } else await sendAgain(webhook, [delivery], by)
      return find(projectId, webhookId, id)
    },

    async replayAll(projectId, webhookId, filter, by) {
      const webhook = await webhookOf(projectId, webhookId)
      // One more than fits shows where the next call continues.
      const found = await storage.webhookDeliveries.finished(projectId, webhookId, filter, MOST_REPLAYED + 1)
      const continueSince = found[MOST_REPLAYED]?.created_at ?? null
      const replayed = await sendAgain(webhook, firstPart(found, continueSince), by)
      return { replayed, continueSince }
    },
  }
}

/** The deliveries of one call: those that the next one, which begins at `continueSince`, does not find again. */
function firstPart(
  found: readonly WebhookDeliveryRecord[],
  continueSince: number | null,
): readonly WebhookDeliveryRecord[] {
  if (continueSince === null) return found
  const earlier = found.filter(({ created_at }) => created_at < continueSince)
  return earlier.length > 0 ? earlier : found.slice(0, MOST_REPLAYED)
}

const unrecognized = (attribute: string) => new Refusal('provided_id_is_unrecognized', { attribute })
