import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../audit/audit.ts'
import { ParleyError } from '../../errors/parley-error.ts'
import { noteUse } from '../../projects/api-tokens.ts'
import { hashApiToken, sameHash } from '../../secrets/api-token-secret.ts'
import type { ApiTokenRecord, Scope } from '../../storage/records.ts'
import type { Storage } from '../../storage/storage.ts'
import { KnownCredentials } from './known-credentials.ts'
import type { RateLimits } from './rate-limits.ts'
import { BASIC, documentSecurity } from './security-schemes.ts'
import { isInItsSpace } from './spaces.ts'

/** Who sent a request. */
export interface Caller {
  projectId: string
  scopes: readonly Scope[]
  /** The API token that the request came with; null where an end user's token came instead. */
  tokenId: string | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link useBasicAuthentication}; ask {@link callerOf}. */
    caller: Caller | null
  }
}

/** The caller of a request to a route that wants credentials. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`the route ${request.routeOptions.url} does not authenticate`)
  return request.caller
}

/** A caller as the audit log names it. */
export const actorOf = ({ tokenId }: Caller): Actor => ({ kind: 'api-token', name: tokenId ?? '' })

const refuse = () => new ParleyError('unauthenticated', { code: 'token_invalid' })

/** Compared against when the project has no tokens, so that unknown projects take as long as known ones. */
const NO_HASH = '0'.repeat(64)

/**
 * Wants an API token of a project on all routes of this scope of the application: Basic authentication (RFC 7617), the
 * project's id as user name and the token as password.
 * @param limits how often a project may ask, and an address may be wrong
 * @param scope what the token must be allowed
 */
export function useBasicAuthentication(
  app: FastifyInstance,
  storage: Pick<Storage, 'apiTokens'>,
  limits: RateLimits,
  scope: Scope,
): void {
  app.decorateRequest('caller', null)
  documentSecurity(app, [BASIC], scope)
  const admit = basicAdmission(storage, limits, scope)
  app.addHook('onRequest', (request, reply, done) => {
    const admitted = admit(request, reply)
    if (admitted) return admitted
    done()
  })
}

/** Lets a request in by its Basic credentials, or throws; at once, unless there is something to wait for. */
export interface Admission {
  (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined
  /** What the token must be allowed. */
  readonly scope: Scope
}

/** The check behind {@link useBasicAuthentication}, for routes that also take something else. */
export function basicAdmission(
  storage: Pick<Storage, 'apiTokens'>,
  limits: RateLimits,
  scope: Scope,
): Admission {
  const known = new KnownCredentials(storage.apiTokens)

  function admit(caller: Caller | undefined, request: FastifyRequest, reply: FastifyReply): void {
    if (!caller) throw refuse()
    limits.admitProject(caller.projectId, reply)
    if (!caller.scopes.includes(scope)) {
      throw new ParleyError('forbidden', { code: 'invalid_auth_token_permissions' })
    }
    request.caller = caller
  }

  async function tokenOf(header: string): Promise<ApiTokenRecord | undefined> {
    const credentials = readBasic(header)
    if (!credentials) throw refuse()
    return matchingToken(storage, credentials.user, credentials.password)
  }

  async function signIn(
    found: Promise<ApiTokenRecord | undefined>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const token = await found
    const isIn = token && (await isInItsSpace(request, token.project_id))
    // What was not found has been counted where it was looked up.
    if (token && !isIn) limits.countFailedSignIn(request, reply)
    admit(isIn ? callerWith(token, storage) : undefined, request, reply)
  }

  const admission = (request: FastifyRequest, reply: FastifyReply) => {
    const token = known.find(request.headers.authorization ?? '', (header) =>
      limits.lookUp(request, reply, () => tokenOf(header)),
    )
    if (token instanceof Promise) return signIn(token, request, reply)
    const isIn = isInItsSpace(request, token.project_id)
    if (isIn !== true) return signIn(Promise.resolve(token), request, reply)
    admit(callerWith(token, storage), request, reply)
    return undefined
  }
  return Object.assign(admission, { scope })
}

/**
 * Checks the credentials of a project.
 * @returns undefined when they are wrong
 */
export async function authenticate(
  storage: Pick<Storage, 'apiTokens'>,
  projectId: string,
  token: string,
): Promise<Caller | undefined> {
  const found = await matchingToken(storage, projectId, token)
  return found && callerWith(found, storage)
}

async function matchingToken(
  storage: Pick<Storage, 'apiTokens'>,
  projectId: string,
  secret: string,
): Promise<ApiTokenRecord | undefined> {
  const hash = hashApiToken(secret)
  const tokens = await storage.apiTokens.list(projectId)
  if (tokens.length === 0) sameHash(hash, NO_HASH)
  // All are compared, so that the time says nothing about which.
  const matching = tokens.filter((candidate) => sameHash(hash, candidate.hash))
  return matching[0]
}

/** Who uses a token now. */
function callerWith(token: ApiTokenRecord, { apiTokens }: Pick<Storage, 'apiTokens'>): Caller {
  noteUse(apiTokens, token, Date.now())
  return { projectId: token.project_id, scopes: token.scopes, tokenId: token.id }
}

function readBasic(header: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})\s*$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
