import type { KeyObject } from 'node:crypto'
import { unseal } from '../secrets/sealing.ts'
import { webhookKey } from '../secrets/webhook-secret.ts'
import type { WebhookRecord } from '../storage/records.ts'

/** Context in which the secrets of a webhook are encrypted. */
export const sealedAs = (webhookId: string): string => `webhook:${webhookId}`

/** The keys of one webhook. To decrypt them for each message would take as long as to sign it. */
export class SigningKeys {
  readonly #sealingKey: Uint8Array
  #known = new Map<string, KeyObject>()

  constructor(sealingKey: Uint8Array) {
    this.#sealingKey = sealingKey
  }

  /**
   * The keys that sign a message now: the present one, and the one before for some time after a rotation.
   * @param now Unix milliseconds
   * @throws Error when the sealing key does not fit: the root key is not the one that belongs to the database
   */
  of(webhook: WebhookRecord, now: number): KeyObject[] {
    const { id, sealed_secret, sealed_previous_secret, previous_secret_expires_at } = webhook
    const keys = [this.#key(id, sealed_secret)]
    if (sealed_previous_secret !== null && (previous_secret_expires_at ?? 0) > now) {
      keys.push(this.#key(id, sealed_previous_secret))
    }
    return keys
  }

  #key(webhookId: string, sealed: string): KeyObject {
    const known = this.#known.get(sealed)
    if (known) return known
    const key = webhookKey(unseal(this.#sealingKey, sealedAs(webhookId), sealed))
    // After a rotation the older ones are of no use.
    if (this.#known.size === 2) this.#known.clear()
    this.#known.set(sealed, key)
    return key
  }
}
