import { useBasicAuthentication } from '../conventions/authentication.ts'
import type { Family } from '../conventions/family.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { useOperations } from '../conventions/operation.ts'
import { messageOperations } from './messages.ts'

/** `/api/messaging`. */
export const messagingFamily: Family = async (app, options) => {
  useBasicAuthentication(app, options, 'messaging')
  useNoStore(app)
  useOperations(app, options, messageOperations)
}
