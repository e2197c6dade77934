// Adds types for the parts of a schema beyond validation: operation, tags and security.
import type {} from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import type { Scope } from '../../projects/scopes.ts'

/** Names of the security schemes in the API document. */
export const BASIC = 'apiToken'
export const BEARER = 'userToken'
export const INVITATION = 'conferenceToken'
export const SESSION = 'session'
export const SIGN_IN_LINK = 'signInLink'

/**
 * Declares in the API document how to sign in to all later routes of this scope of the application.
 * @param ways any one of them is enough
 * @param scope scope that an API token needs; null when no API token is accepted
 */
export function documentSecurity(
  app: FastifyInstance,
  ways: readonly (typeof BASIC | typeof BEARER | typeof INVITATION | typeof SESSION | typeof SIGN_IN_LINK)[],
  scope: Scope | null,
): void {
  const needed = {
    [BASIC]: scope === null ? [] : [scope],
    [BEARER]: [],
    [INVITATION]: [],
    [SESSION]: [],
    [SIGN_IN_LINK]: [],
  }
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, security: ways.map((way) => ({ [way]: needed[way] })) }
  })
}
