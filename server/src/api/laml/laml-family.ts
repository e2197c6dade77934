import { useBasicAuthentication } from '../conventions/authentication.ts'
import type { Family } from '../conventions/family.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { useOperations } from '../conventions/operation.ts'
import { callOperations } from './calls.ts'

/** This family's names of the paging parameters. */
const PAGING_NAMES = { number: 'Page', size: 'PageSize', token: 'PageToken' }

/** `/api/laml`, the compatibility family. It has its own names, date format and error format. */
export const lamlFamily: Family = async (app, options) => {
  useBasicAuthentication(app, options, 'calling')
  useNoStore(app)
  useOperations(app, options, callOperations, PAGING_NAMES)
}
