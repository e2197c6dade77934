// What a schema may say beyond validation: its operation, tags and security.
import type {} from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Scope } from '../../projects/scopes.ts'

/** Names of the ways to sign in, in the API document. */
export const BASIC = 'apiToken'
export const BEARER = 'userToken'

/**
 * Tells the API document how to sign in to all routes of this scope of the application that come after it.
 * @param ways each of them is enough
 * @param scope that an API token needs; null where none is taken
 */
export function documentSecurity(
  app: FastifyInstance,
  ways: readonly (typeof BASIC | typeof BEARER)[],
  scope: Scope | null,
): void {
  const needed = { [BASIC]: scope === null ? [] : [scope], [BEARER]: [] }
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: ways.map((way) => ({ [way]: needed[way] })) }
  })
}
