import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../audit/audit.ts'
import { Refusal } from '../../errors/refusal.ts'
import type { ShownApiToken } from '../../projects/api-tokens.ts'
import type { Credentials } from '../../projects/credentials.ts'
import type { Scope } from '../../projects/scopes.ts'
import type { FamilyOptions } from './family.ts'
import { admitPerson, hasSession, type Person } from './person-admission.ts'
import { BASIC, documentSecurity } from './security-schemes.ts'
import { isInItsSpace } from './spaces.ts'

/** The sender of a request. */
export interface Caller {
  projectId: string
  scopes: readonly Scope[]
  /** Name of the API token or of the user; empty for end users. */
  name: string
  /** Id of the API token of the request; null when it came with an end user's token, or the cookie of a session. */
  tokenId: string | null
  /** The user of the request; null unless it came with the cookie of a session. */
  person: Person | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link useBasicAuthentication}. Read it by {@link callerOf}. */
    caller: Caller | null
  }
}

/** The caller of a request to a route that requires credentials. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error(`the route ${request.routeOptions.url} does not authenticate`)
  return request.caller
}

/** The caller in the form of the audit log. */
export const actorOf = ({ tokenId, person }: Caller): Actor =>
  person ? { kind: 'user', name: person.name } : { kind: 'api-token', name: tokenId ?? '' }

const refuse = () => new Refusal('token_invalid')

/** Services that check credentials, and limits on failed sign-ins. */
export type SignInOptions = Pick<FamilyOptions, 'services' | 'limits' | 'publicUrl'>

/**
 * Requires an API token of a project on all routes of this scope of the application: Basic authentication (RFC 7617),
 * with the project's id as user name and the token as password. Without these, the cookie of a user's session will do.
 * @param scope scope that the token must have
 */
export function useBasicAuthentication(app: FastifyInstance, options: SignInOptions, scope: Scope): void {
  app.decorateRequest('caller', null)
  documentSecurity(app, [BASIC], scope)
  const admit = basicAdmission(options, scope)
  app.addHook('onRequest', (request, reply, done) => {
    const admitted = admit(request, reply)
    if (admitted) return admitted
    done()
  })
}

/**
 * Admits a request by its Basic credentials or the cookie of a user's session, or throws. It is synchronous unless it has
 * to wait.
 */
export interface Admission {
  (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined
  /** Scope that the token must have. */
  readonly scope: Scope
}

/** The check behind {@link useBasicAuthentication}, for routes that also accept other credentials. */
export function basicAdmission(options: SignInOptions, scope: Scope): Admission {
  const { services, limits } = options
  const { credentials } = services

  const admission = (request: FastifyRequest, reply: FastifyReply) => {
    if (hasSession(request)) return admitPerson(request, reply, options, scope)
    const header = request.headers.authorization ?? ''
    const find = async () => tokenOf(header, credentials)
    const token = credentials.recall(header, () => limits.lookUp(request, reply, find))
    if (token instanceof Promise) return signIn(token, request, reply)
    if (isInItsSpace(request, token.project_id) !== true) return signIn(token, request, reply)
    admit(token, request, reply)
    return undefined
  }
  return Object.assign(admission, { scope })

  async function signIn(
    found: ShownApiToken | Promise<ShownApiToken | undefined>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const token = await found
    // The look-up has already counted a token that was not found.
    if (!token) throw refuse()
    if (!(await isInItsSpace(request, token.project_id))) {
      limits.countFailedSignIn(request, reply)
      throw refuse()
    }
    admit(token, request, reply)
  }

  function admit(token: ShownApiToken, request: FastifyRequest, reply: FastifyReply): void {
    const { id, name, project_id: projectId, scopes } = token
    credentials.noteUse(token)
    // A request that is refused now is in the log of the project too.
    request.caller = { projectId, scopes, name, tokenId: id, person: null }
    limits.admitProject(projectId, reply)
    if (!scopes.includes(scope)) throw new Refusal('invalid_auth_token_permissions')
  }
}

/** @throws Refusal when the header holds no Basic credentials */
function tokenOf(header: string, credentials: Credentials): Promise<ShownApiToken | undefined> {
  const given = readBasic(header)
  if (!given) throw refuse()
  return credentials.find(given.user, given.password)
}

function readBasic(header: string | undefined): { user: string; password: string } | undefined {
  const encoded = /^basic +([A-Za-z0-9+/_-]+={0,2})\s*$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
