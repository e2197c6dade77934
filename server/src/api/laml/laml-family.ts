import type { FastifyInstance } from 'fastify'
import { useBasicAuthentication } from '../conventions/authentication.ts'
import type { Family, FamilyOptions } from '../conventions/family.ts'
import { useNoStore } from '../conventions/no-store.ts'
import { type Operation, useOperations } from '../conventions/operation.ts'
import { callOperations } from './calls.ts'

/** This family's names of the paging parameters. */
const PAGING_NAMES = { number: 'Page', size: 'PageSize', token: 'PageToken' }

/**
 * The same family at `/2010-04-01`, where its published client asks. The API document lists the operations only once.
 */
export const lamlFamilyAtRoot: Family = async (app, options) => {
  useCompatibility(
    app,
    options,
    callOperations.map(({ declaration, handle }) => ({
      declaration: { ...declaration, isHidden: true },
      handle,
    })),
  )
}

/** `/api/laml`, the compatibility family. It has its own names, date format and error format. */
export const lamlFamily: Family = async (app, options) => useCompatibility(app, options, callOperations)

function useCompatibility(
  app: FastifyInstance,
  options: FamilyOptions,
  operations: readonly Operation[],
): void {
  useBasicAuthentication(app, options, 'calling')
  useNoStore(app)
  useOperations(app, options, operations, PAGING_NAMES)
}
