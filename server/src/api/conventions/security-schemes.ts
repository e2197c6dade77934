// What a schema may say beyond validation: its operation, tags and security.
import type {} from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'

/** Names of the ways to sign in, in the API document. */
export const BASIC = 'apiToken'
export const BEARER = 'userToken'

/**
 * Tells the API document how to sign in to all routes of this scope of the application that come after it.
 * @param ways each of them is enough
 */
export function documentSecurity(
  app: FastifyInstance,
  ways: readonly (typeof BASIC | typeof BEARER)[],
): void {
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: ways.map((way) => ({ [way]: [] })) }
  })
}
