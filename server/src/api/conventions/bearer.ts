import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import type { AccessGrant } from '../../fabric/access-tokens.ts'
import type { Admission, SignInOptions } from './authentication.ts'
import { hasSession } from './person-admission.ts'
import { BASIC, BEARER, documentSecurity } from './security-schemes.ts'
import { isInItsSpace } from './spaces.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Grant of the request's bearer token; null when the route accepts none, or the caller sent other credentials. */
    grant: AccessGrant | null
  }
}

/**
 * Requires the token of a subscriber or guest (RFC 6750) on all routes of this scope of the application.
 * @param kinds accepted kinds of tokens
 * @param otherwise checks requests with another kind of credentials, if the routes accept those too
 */
export function useBearerAuthentication(
  app: FastifyInstance,
  options: SignInOptions,
  kinds: readonly AccessGrant['kind'][],
  otherwise?: Admission,
): void {
  app.decorateRequest('grant', null)
  app.decorateRequest('caller', null)
  app.addHook('onRoute', (route) => {
    route.config = { challenge: 'Bearer realm="Parley"', ...route.config }
  })
  documentSecurity(app, otherwise ? [BEARER, BASIC] : [BEARER], otherwise?.scope ?? null)
  app.addHook('onRequest', (request, reply, done) => {
    const { authorization } = request.headers
    const isOther = hasSession(request) || (authorization !== undefined && !/^bearer /i.test(authorization))
    const admitted =
      otherwise && isOther ? otherwise(request, reply) : admitBearer(request, reply, options, kinds)
    if (admitted) return admitted
    done()
  })
}

async function admitBearer(
  request: FastifyRequest,
  reply: FastifyReply,
  { services: { subscribers }, limits }: SignInOptions,
  kinds: readonly AccessGrant['kind'][],
): Promise<void> {
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new Refusal('token_invalid')
  const verified = await subscribers.verify(token)
  if (!verified.ok && verified.reason === 'expired') {
    throw new Refusal('token_expired')
  }
  const grant = verified.ok && kinds.includes(verified.grant.kind) ? verified.grant : undefined
  const isGood =
    grant !== undefined &&
    (await isInItsSpace(request, grant.project_id)) &&
    (await subscribers.isSignedIn(grant))
  if (!isGood) {
    limits.countFailedSignIn(request, reply)
    throw new Refusal('token_invalid')
  }
  limits.admitProject(grant.project_id, reply)
  request.grant = grant
  request.caller = { projectId: grant.project_id, scopes: [], name: '', tokenId: null, person: null }
}
