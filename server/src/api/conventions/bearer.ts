import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import { ParleyError } from '../../errors/parley-error.ts'
import { type AccessGrant, verifyAccessToken } from '../../fabric/access-tokens.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Admission } from './authentication.ts'
import type { RateLimits } from './rate-limits.ts'
import { BASIC, BEARER, documentSecurity } from './security-schemes.ts'
import { isInItsSpace } from './spaces.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the bearer token of the request grants; null where the route takes none or the caller sent another kind. */
    grant: AccessGrant | null
  }
}

export interface BearerOptions {
  storage: Pick<Storage, 'signIns'>
  /** 64 bytes. */
  tokenKey: Uint8Array
  limits: RateLimits
  clock: Clock
  /** Whose tokens are accepted. */
  kinds: readonly AccessGrant['kind'][]
}

/**
 * Wants the token of a subscriber or guest (RFC 6750) on all routes of this scope of the application.
 * @param otherwise what is wanted of requests that carry another kind of credentials, where those are good too
 */
export function useBearerAuthentication(
  app: FastifyInstance,
  options: BearerOptions,
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
    const isOther = authorization !== undefined && !/^bearer /i.test(authorization)
    const admitted = otherwise && isOther ? otherwise(request, reply) : admitBearer(request, reply, options)
    if (admitted) return admitted
    done()
  })
}

async function admitBearer(
  request: FastifyRequest,
  reply: FastifyReply,
  { storage, tokenKey, limits, clock, kinds }: BearerOptions,
): Promise<void> {
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new ParleyError('unauthenticated', { code: 'token_invalid' })
  const verified = await verifyAccessToken(token, tokenKey, clock.now())
  if (!verified.ok && verified.reason === 'expired') {
    throw new ParleyError('unauthenticated', { code: 'token_expired' })
  }
  const grant = verified.ok && kinds.includes(verified.grant.kind) ? verified.grant : undefined
  const isGood =
    grant !== undefined &&
    (await isInItsSpace(request, grant.project_id)) &&
    // Sign-ins are ended, and go with their subscriber and project; the tokens are void then.
    (await storage.signIns.find(grant.project_id, grant.sign_in_id)) !== undefined
  if (!isGood) {
    limits.countFailedSignIn(request, reply)
    throw new ParleyError('unauthenticated', { code: 'token_invalid' })
  }
  limits.admitProject(grant.project_id, reply)
  request.grant = grant
  request.caller = { projectId: grant.project_id, scopes: [], tokenId: null }
}
