import type { FastifyInstance } from 'fastify'
import type { Storage } from '../../storage/storage.ts'
import { useBasicAuthentication } from '../conventions/authentication.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { usePaging } from '../conventions/paging.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { messageRoutes } from './messages.ts'

export interface MessagingOptions {
  storage: Pick<Storage, 'apiTokens' | 'chatMessages'>
  limits: RateLimits
  pagingKey: Uint8Array
}

/** `/api/messaging`. */
export function messagingRoutes(app: FastifyInstance, options: MessagingOptions): void {
  const { storage, limits, pagingKey } = options
  useBasicAuthentication(app, storage, limits, 'messaging')
  useNoStore(app)
  messageRoutes(app as unknown as TypedApp, storage, usePaging(app, pagingKey))
}
