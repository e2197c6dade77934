import { unseal } from '../secrets/sealing.ts'
import type { WebhookRecord } from '../storage/records.ts'

/** Context in which the secrets of a webhook are encrypted. */
export const sealedAs = (webhookId: string): string => `webhook:${webhookId}`

/**
 * The secrets that sign a message now: the present one, and the one before for some time after a rotation.
 * @param now Unix milliseconds
 * @throws Error when the key does not fit: the folder `secrets` is not the one that belongs to the database
 */
export function signingSecrets(webhook: WebhookRecord, sealingKey: Uint8Array, now: number): string[] {
  const { id, sealed_secret, sealed_previous_secret, previous_secret_expires_at } = webhook
  const sealed = [sealed_secret]
  if (sealed_previous_secret !== null && (previous_secret_expires_at ?? 0) > now) {
    sealed.push(sealed_previous_secret)
  }
  return sealed.map((one) => unseal(sealingKey, sealedAs(id), one))
}
