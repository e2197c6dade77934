import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** Prefix of a secret for signatures of Standard Webhooks. */
const PREFIX = 'whsec_'
/** The specification asks for 24 to 64 bytes. */
const BYTES = 24

/** A new secret that signs webhooks: `whsec_` and 192 random bits, in base64. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(BYTES).toString('base64')
}

/** What a signature is about. */
export interface SignedMessage {
  id: string
  /** Unix seconds. */
  timestamp: number
  body: string
}

/** The key in a secret that {@link newWebhookSecret} made. */
export const webhookKey = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

/**
 * The header `webhook-signature`: a signature by each key, separated by spaces, so that a receiver may know either
 * (Standard Webhooks, "Signature scheme" and "Multiple signatures").
 */
export function webhookSignature(keys: readonly KeyObject[], { id, timestamp, body }: SignedMessage): string {
  const signed = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ')
}
