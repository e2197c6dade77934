import { createHmac, randomBytes } from 'node:crypto'

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

/**
 * The header `webhook-signature`: a signature for each secret, separated by spaces, so that a receiver may know either
 * (Standard Webhooks, "Signature scheme" and "Multiple signatures").
 * @param secrets results of {@link newWebhookSecret}
 */
export function webhookSignature(secrets: readonly string[], { id, timestamp, body }: SignedMessage): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return signatures.join(' ')
}
