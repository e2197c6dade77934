import type { FastifySchema } from 'fastify'
import { BASIC, SESSION } from '../conventions/security-schemes.ts'

/**
 * The statuses of errors that an operation may answer with. They follow from its method, the parts of its request, and
 * how callers sign in to its family.
 */
export function errorStatuses(method: string, schema: FastifySchema): number[] {
  const { params, querystring, body, errorCodes = {}, security = [] } = schema
  const canBeForbidden = security.some((way) => BASIC in way || SESSION in way) || errorCodes[403]
  // Every POST can have an invalid `Idempotency-Key`.
  const canBeInvalid = querystring !== undefined || body !== undefined || method === 'POST'
  return [
    400,
    401,
    // The API token may lack the scope, and the role of a user the right; tokens of end users have none.
    ...(canBeForbidden ? [403] : []),
    ...(params !== undefined || errorCodes[404] ? [404] : []),
    ...(canBeInvalid || errorCodes[422] ? [422] : []),
    429,
    500,
    // Every operation needs the database, which may be unavailable.
    503,
  ]
}
