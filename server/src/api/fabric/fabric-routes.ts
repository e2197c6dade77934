import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { AccessGrant } from '../../fabric/access-tokens.ts'
import type { Addresses } from '../../fabric/addresses.ts'
import type { Subscribers } from '../../fabric/subscribers.ts'
import type { Storage } from '../../storage/storage.ts'
import { basicAdmission, useBasicAuthentication } from '../conventions/authentication.ts'
import { useBearerAuthentication } from '../conventions/bearer.ts'
import { useCrossOrigin } from '../conventions/cross-origin.ts'
import { type IdempotencyOptions, useIdempotency } from '../conventions/idempotency.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { usePaging } from '../conventions/paging.ts'
import type { RateLimits } from '../conventions/rate-limits.ts'
import type { TypedApp } from '../conventions/typed-app.ts'
import { addressRoutes } from './addresses.ts'
import { guestTokenRoutes } from './guest-tokens.ts'
import { refreshRoutes, subscriberTokenRoutes } from './subscriber-tokens.ts'

/** What the operations of the fabric family work with. */
export interface FabricContext {
  subscribers: Subscribers
  addresses: Addresses
  originOf: (request: FastifyRequest) => string
  hostOf: (request: FastifyRequest) => string
}

export interface FabricOptions extends FabricContext {
  storage: Storage
  limits: RateLimits
  idempotency: IdempotencyOptions
  accessTokenKey: Uint8Array
  pagingKey: Uint8Array
  clock: Clock
}

/** `/api/fabric`: a scope of the application for each kind of credentials. */
export function fabricRoutes(app: FastifyInstance, options: FabricOptions): void {
  const { storage, limits, accessTokenKey, clock } = options
  const basic = basicAdmission(storage, limits, 'video')
  const bearer = (kinds: readonly AccessGrant['kind'][]) => ({
    storage,
    tokenKey: accessTokenKey,
    limits,
    clock,
    kinds,
  })
  const routes = (register: (scope: FastifyInstance, typed: TypedApp) => void) =>
    app.register(async (scope) => register(scope, scope as unknown as TypedApp))

  useNoStore(app)
  routes((scope, typed) => {
    useBasicAuthentication(scope, storage, limits, 'video')
    useIdempotency(scope, options.idempotency)
    subscriberTokenRoutes(typed, options)
  })
  routes((scope, typed) => {
    useCrossOrigin(scope)
    useBearerAuthentication(scope, bearer(['subscriber']), basic)
    useIdempotency(scope, options.idempotency)
    refreshRoutes(typed, options)
  })
  routes((scope, typed) => {
    useCrossOrigin(scope)
    useBearerAuthentication(scope, bearer(['subscriber']))
    useIdempotency(scope, options.idempotency)
    guestTokenRoutes(typed, options)
  })
  routes((scope, typed) => {
    useCrossOrigin(scope)
    useBearerAuthentication(scope, bearer(['subscriber', 'guest']), basic)
    addressRoutes(typed, options, usePaging(scope, options.pagingKey))
  })
}
