import type { FastifyInstance } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { Calls } from '../../rooms/calls.ts'
import type { Storage } from '../../storage/storage.ts'
import { useBasicAuthentication } from '../conventions/authentication.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { usePaging } from '../conventions/paging.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { callRoutes } from './calls.ts'

export interface LamlOptions {
  calls: Calls
  storage: Pick<Storage, 'apiTokens'>
  limits: RateLimits
  pagingKey: Uint8Array
  clock: Clock
}

/** How this family calls the parameters of paging. */
const PAGING_NAMES = { number: 'Page', size: 'PageSize', token: 'PageToken' }

/** `/api/laml`, the compatibility family: names, dates and errors are of its own kind. */
export function lamlRoutes(app: FastifyInstance, options: LamlOptions): void {
  const { calls, storage, limits, pagingKey, clock } = options
  useBasicAuthentication(app, storage, limits, 'calling')
  useNoStore(app)
  const paging = usePaging(app, pagingKey, PAGING_NAMES)
  callRoutes(app as unknown as TypedApp, { calls, paging, clock })
}
