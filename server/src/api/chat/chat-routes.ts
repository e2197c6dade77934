import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { Storage } from '../../storage/storage.ts'
import { useBasicAuthentication } from '../conventions/authentication.ts'
import { type IdempotencyOptions, useIdempotency } from '../conventions/idempotency.ts'
import { useNoStore } from '../conventions/no-store.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { chatTokenRoute } from './chat-tokens.ts'

export interface ChatRoutesOptions {
  /** `pubsub` is the same family under another name, with a scope of its own. */
  kind: 'chat' | 'pubsub'
  storage: Pick<Storage, 'apiTokens'>
  limits: RateLimits
  idempotency: IdempotencyOptions
  chatTokenKey: Uint8Array
  hostOf: (request: FastifyRequest) => string
  clock: Clock
}

/** `/api/chat` or `/api/pubsub`. */
export function chatRoutes(app: FastifyInstance, options: ChatRoutesOptions): void {
  const { kind, storage, limits, idempotency } = options
  useBasicAuthentication(app, storage, limits, kind)
  useIdempotency(app, idempotency)
  useNoStore(app)
  chatTokenRoute(app as unknown as TypedApp, options)
}
