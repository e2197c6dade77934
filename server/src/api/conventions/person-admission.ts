import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import { ALL_SCOPES, type Scope } from '../../projects/scopes.ts'
import { type Right, type Role, rightsOf } from '../../resources/roles.ts'
import type { FamilyOptions } from './family.ts'
import { publicHosts } from './public-origin.ts'
import { cookieOf, isFromElsewhere, isFromOwnPage } from './session-cookie.ts'
import { isInItsSpace } from './spaces.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * What users need to be allowed. By default that is `administer` where API tokens need the scope `management`;
     * elsewhere `read` for GET, and `operate` for all else.
     */
    right?: Right
  }
}

/** The user of a request that came with the cookie of a session. */
export interface Person {
  id: string
  name: string
  role: Role
  sessionId: string
}

/** Header in which a page repeats what only answers to its own origin tell. */
export const CSRF_HEADER = 'x-csrf-token'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a request may come with the cookie of a session in place of other credentials. */
export const hasSession = (request: FastifyRequest): boolean =>
  request.headers.authorization === undefined && cookieOf(request) !== undefined && !isFromElsewhere(request)

/** Scopes of a role: only owners may manage users, tokens and the server. */
const scopesOf = (role: Role): readonly Scope[] =>
  role === 'owner' ? ALL_SCOPES : ALL_SCOPES.filter((scope) => scope !== 'management')

/** Options of {@link admitPerson}. */
export type PersonOptions = Pick<FamilyOptions, 'services' | 'limits' | 'publicUrl'>

/**
 * Admits a request by the cookie of a session: see {@link hasSession}.
 * @param scope scope that an API token would need; null where none is accepted
 * @throws Refusal `token_invalid`; `not_permitted` when the role does not allow it, or a change does not come from a page
 * of this server
 */
export async function admitPerson(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, limits, publicUrl }: PersonOptions,
  scope: Scope | null,
): Promise<void> {
  const secret = cookieOf(request) ?? ''
  const found = await services.userSessions.find(secret)
  if (!found || !(await isInItsSpace(request, found.user.project_id))) throw new Refusal('token_invalid')
  const { user, session } = found
  // A request that is refused now is in the log of the project too.
  request.caller = {
    projectId: user.project_id,
    scopes: scopesOf(user.role),
    name: user.name,
    tokenId: null,
    person: { id: user.id, name: user.name, role: user.role, sessionId: session.id },
  }
  limits.admitProject(user.project_id, reply)
  checkRight(request, user.role, scope)
  if (!SAFE.has(request.method)) checkOrigin(request, services.userSessions.csrfToken(secret), publicUrl)
}

function checkRight({ method, routeOptions }: FastifyRequest, role: Role, scope: Scope | null): void {
  const usual = SAFE.has(method) ? 'read' : 'operate'
  const needed = routeOptions.config.right ?? (scope === 'management' ? 'administer' : usual)
  if (rightsOf(role).includes(needed)) return
  const message = `Users with the role ${role} may not do this. Ask an owner of the project for another role.`
  throw new Refusal('not_permitted', message)
}

function checkOrigin(request: FastifyRequest, expected: string, publicUrl: string | null): void {
  checkOwnPage(request, publicUrl)
  const given = request.headers[CSRF_HEADER]
  if (typeof given === 'string' && isSame(given, expected)) return
  const message = `With a session, changes need the header ${CSRF_HEADER} with the csrf_token of GET /api/dashboard/me.`
  throw new Refusal('not_permitted', message)
}

/**
 * Refuses requests that no page of this server made.
 * @throws Refusal `not_permitted`
 */
export function checkOwnPage(request: FastifyRequest, publicUrl: string | null): void {
  if (isFromOwnPage(request, publicHosts(publicUrl, request))) return
  throw new Refusal('not_permitted', 'Only pages of this server may do this. Programs use an API token.')
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
