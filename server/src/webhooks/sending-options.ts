import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Targets } from '../outgoing/targets.ts'
import type { Storage } from '../storage/storage.ts'

/** What the sending of webhooks needs. */
export interface WebhookSendingOptions {
  storage: Storage
  clock: Clock
  log: Logger
  targets: Targets
  /** Protocols that the address of a webhook may have. */
  protocols: readonly string[]
  /** Key that encrypts the secrets. */
  sealingKey: Uint8Array
  /** Header of the messages. */
  userAgent: string
  /** A webhook that has failed for so long is disabled. */
  disableAfterMs: number
  /** How long deliveries are kept, also those that wait. */
  keptMs: number
}
