import { useBasicAuthentication } from '../conventions/authentication.ts'
import type { Family } from '../conventions/family.ts'
import { useIdempotency } from '../conventions/idempotency.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { useOperations } from '../conventions/operation.ts'
import { apiTokenOperations } from './api-tokens.ts'
import { auditOperations } from './audit-log.ts'
import { userOperations } from './users.ts'

/** `/api/management`: who may do what in the project, and what was done. */
export const managementFamily: Family = async (app, options) => {
  useNoStore(app)
  useBasicAuthentication(app, options, 'management')
  useIdempotency(app, options.services.keptAnswers)
  useOperations(app, options, [...userOperations, ...apiTokenOperations, ...auditOperations])
}
