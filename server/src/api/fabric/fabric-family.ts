import { basicAdmission, useBasicAuthentication } from '../conventions/authentication.ts'
import { useBearerAuthentication } from '../conventions/bearer.ts'
import { useCrossOrigin } from '../conventions/cross-origin.ts'
import type { Family } from '../conventions/family.ts'
import { useIdempotency } from '../conventions/idempotency.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { useOperations } from '../conventions/operation.ts'
import { addressOperations } from './addresses.ts'
import { guestTokenOperations } from './guest-tokens.ts'
import { refreshOperations, subscriberTokenOperations } from './subscriber-tokens.ts'

/** `/api/fabric`: a scope of the application for each kind of credentials. */
export const fabricFamily: Family = async (app, options) => {
  const { keptAnswers } = options.services
  const basic = basicAdmission(options, 'video')
  useNoStore(app)
  await app.register(async (scope) => {
    useBasicAuthentication(scope, options, 'video')
    useIdempotency(scope, keptAnswers)
    useOperations(scope, options, subscriberTokenOperations)
  })
  await app.register(async (scope) => {
    useCrossOrigin(scope)
    useBearerAuthentication(scope, options, ['subscriber'], basic)
    useIdempotency(scope, keptAnswers)
    useOperations(scope, options, refreshOperations)
  })
  await app.register(async (scope) => {
    useCrossOrigin(scope)
    useBearerAuthentication(scope, options, ['subscriber'])
    useIdempotency(scope, keptAnswers)
    useOperations(scope, options, guestTokenOperations)
  })
  await app.register(async (scope) => {
    useCrossOrigin(scope)
    useBearerAuthentication(scope, options, ['subscriber', 'guest'], basic)
    useOperations(scope, options, addressOperations)
  })
}
