import { type Actor, type AuditAction, recordAct } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { Refusal } from '../errors/refusal.ts'
import { newId } from '../ids.ts'
import type { Targets } from '../outgoing/targets.ts'
import type { SaidIn } from '../resources/bodies.ts'
import { EVENT_PATTERNS } from '../resources/event-names.ts'
import { defaultsOf } from '../resources/records.ts'
import { webhookFields } from '../resources/webhook.ts'
import { seal } from '../secrets/sealing.ts'
import { newWebhookSecret } from '../secrets/webhook-secret.ts'
import type { ListPage, ListRequest } from '../storage/list-page.ts'
import type { WebhookRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { sealedAs } from './signing-keys.ts'

/** What a request sets. */
export type WebhookSettings = SaidIn<typeof webhookFields, 'webhook'>

/** A webhook with its new secret, which is available only now. */
export interface FreshWebhook {
  webhook: WebhookRecord
  secret: string
}

/** The webhooks of all projects: addresses to which their events are sent. */
export interface Webhooks {
  /**
   * @throws Refusal `url_failed_to_parse`, `url_is_unsafe`, `list_contains_invalid_entries`, `too_many_webhooks`, `provided_id_is_unrecognized` when there
   * is no such project
   */
  create(projectId: string, settings: WebhookSettings & { url: string }, by: Actor): Promise<FreshWebhook>
  /** Newest first. */
  list(projectId: string, request: ListRequest): Promise<ListPage<WebhookRecord>>
  /** @throws Refusal `provided_id_is_unrecognized` */
  get(projectId: string, id: string): Promise<WebhookRecord>
  /**
   * Changes a webhook. What waited for it is sent soon if it has another address or was not enabled.
   * @throws Refusal as {@link create}
   */
  update(projectId: string, id: string, settings: WebhookSettings, by: Actor): Promise<WebhookRecord>
  /**
   * Gives a webhook a new secret.
   * @param overlapMs for how long the old one signs too
   * @throws Refusal `provided_id_is_unrecognized`
   */
  rotate(projectId: string, id: string, overlapMs: number, by: Actor): Promise<FreshWebhook>
  /**
   * Deletes a webhook. What waited for it is not sent.
   * @throws Refusal `provided_id_is_unrecognized`
   */
  delete(projectId: string, id: string, by: Actor): Promise<void>
}

export interface WebhooksOptions {
  storage: Storage
  clock: Clock
  targets: Targets
  /** Key that encrypts the secrets. */
  sealingKey: Uint8Array
  /** Protocols that the address of a webhook may have. */
  protocols: readonly string[]
  maxWebhooksPerProject: number
  /** Something may wait to be sent. */
  wake: () => void
}

/**
 * Protocols of webhooks. Messages without encryption may only go to private networks, where the operator allows those.
 */
export const webhookProtocols = (allowPrivateTargets: boolean): readonly string[] =>
  allowPrivateTargets ? ['https', 'http'] : ['https']

/** Sessions of a webhook whose deliveries are made due at once. The others come when their own pause is over. */
const MOST_HURRIED = 10_000

export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { storage, clock, targets, sealingKey, protocols, maxWebhooksPerProject, wake } = options
  const defaults = defaultsOf(webhookFields)

  async function checkUrl(url: string): Promise<void> {
    const parsed = URL.canParse(url) ? new URL(url) : null
    if (parsed && !protocols.includes(parsed.protocol.slice(0, -1))) {
      const message = `The URL must begin with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}.`
      throw new Refusal('url_failed_to_parse', { attribute: 'url', message })
    }
    // A password in the address would be stored and shown. Messages are signed instead.
    if (parsed && (parsed.username !== '' || parsed.password !== '')) {
      const message =
        'The URL may not hold a user name or password. Check the signature of the messages instead.'
      throw new Refusal('url_failed_to_parse', { attribute: 'url', message })
    }
    await targets.check(url, protocols, 'url')
  }

  async function check({ url, events }: WebhookSettings): Promise<void> {
    const unknown = events?.filter((one) => !(EVENT_PATTERNS as readonly string[]).includes(one)) ?? []
    if (unknown.length > 0) {
      const message = `There are no events ${unknown.slice(0, 5).join(', ')}.`
      throw new Refusal('list_contains_invalid_entries', { attribute: 'events', message })
    }
    if (url != null) await checkUrl(url)
  }

  const record = (tx: Pick<Storage, 'audit'>, action: AuditAction, webhook: WebhookRecord, by: Actor) => {
    const { id, project_id, url, enabled } = webhook
    const details = { host: new URL(url).host, enabled }
    return recordAct(tx, { actor: by, action, projectId: project_id, target: id, details }, clock.now())
  }

  return {
    async create(projectId, { url, ...settings }, by) {
      await check({ url, ...settings })
      const id = newId()
      const secret = newWebhookSecret()
      const now = clock.now()
      const enabled = settings.enabled ?? true
      const webhook: WebhookRecord = {
        ...defaults,
        id,
        project_id: projectId,
        url,
        description: settings.description ?? '',
        events: settings.events ?? null,
        enabled,
        disabled_reason: enabled ? null : 'asked',
        sealed_secret: seal(sealingKey, sealedAs(id), secret),
        created_at: now,
        updated_at: now,
      }
      await storage.transaction(async (tx) => {
        if (!(await tx.projects.find(projectId))) throw unrecognized('project_id')
        if ((await tx.webhooks.count(projectId)) >= maxWebhooksPerProject) {
          throw new Refusal('too_many_webhooks', `A project has at most ${maxWebhooksPerProject} webhooks.`)
        }
        await tx.webhooks.insert(webhook)
        await record(tx, 'webhook.create', webhook, by)
      })
      wake()
      return { webhook, secret }
    },

    list: (projectId, request) => storage.webhooks.list(projectId, request),

    async get(projectId, id) {
      const webhook = await storage.webhooks.find(projectId, id)
      if (!webhook) throw unrecognized('id')
      return webhook
    },

    async update(projectId, id, settings, by) {
      await check(settings)
      const updated = await storage.transaction(async (tx) => {
        const before = await tx.webhooks.find(projectId, id)
        if (!before) throw unrecognized('id')
        const changes = changesOf(before, settings)
        const after = await tx.webhooks.update(projectId, id, { ...changes, updated_at: clock.now() })
        if (!after) throw unrecognized('id')
        const isFresh = after.enabled && (!before.enabled || after.url !== before.url)
        if (isFresh) await tx.webhookOutbox.hurry(id, clock.now(), { limit: MOST_HURRIED })
        await record(tx, 'webhook.update', after, by)
        return after
      })
      wake()
      return updated
    },

    async rotate(projectId, id, overlapMs, by) {
      const secret = newWebhookSecret()
      const now = clock.now()
      const webhook = await storage.transaction(async (tx) => {
        const before = await tx.webhooks.find(projectId, id)
        const rotated = await tx.webhooks.update(projectId, id, {
          sealed_secret: seal(sealingKey, sealedAs(id), secret),
          sealed_previous_secret: overlapMs > 0 ? (before?.sealed_secret ?? null) : null,
          previous_secret_expires_at: overlapMs > 0 ? now + overlapMs : null,
          updated_at: now,
        })
        if (!rotated) throw unrecognized('id')
        await record(tx, 'webhook.rotate', rotated, by)
        return rotated
      })
      return { webhook, secret }
    },

    async delete(projectId, id, by) {
      await storage.transaction(async (tx) => {
        const webhook = await tx.webhooks.find(projectId, id)
        if (!webhook || !(await tx.webhooks.delete(projectId, id))) throw unrecognized('id')
        await record(tx, 'webhook.delete', webhook, by)
      })
    },
  }
}

/** The new values of the changed fields. Another address, or enabling it, gives a webhook a new start. */
function changesOf(before: WebhookRecord, settings: WebhookSettings): Partial<WebhookRecord> {
  const { url, description, events, enabled } = settings
  const isEnabled = enabled === undefined ? before.enabled : (enabled ?? true)
  const hasNewStart = (isEnabled && !before.enabled) || (url != null && url !== before.url)
  return {
    ...(url != null && { url }),
    ...(description !== undefined && { description: description ?? '' }),
    ...(events !== undefined && { events }),
    enabled: isEnabled,
    disabled_reason: isEnabled ? null : (before.disabled_reason ?? 'asked'),
    ...(hasNewStart && { failing_since: null }),
  }
}

const unrecognized = (attribute: string) => new Refusal('provided_id_is_unrecognized', { attribute })
