import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OpenIdFailure, type OpenIdProblem } from '../../accounts/openid.ts'
import type { SignInOptions } from '../conventions/authentication.ts'
import { originFor } from '../conventions/public-origin.ts'
import { cookieOf, setCookie, setSessionCookie } from '../conventions/session-cookie.ts'
import { isInItsSpace } from '../conventions/spaces.ts'

/** Cookie that keeps a sign-in that is under way at the provider. */
const ATTEMPT = { name: '__Host-parley-openid', maxAgeSeconds: 600 }
/** Where the provider sends the browser back to. Operators register this address with it. */
const CALLBACK = '/page/openid/callback'
const HOME = '/dashboard'

/**
 * The path that a person wanted, without host: nobody can make a link to this server that leads elsewhere after the
 * sign-in.
 */
export function safeReturn(wanted: unknown): string {
  if (typeof wanted !== 'string' || wanted.length > 2000) return HOME
  const base = 'https://here.invalid'
  if (!/^\/(?![/\\])/.test(wanted) || !URL.canParse(wanted, base)) return HOME
  const { origin, pathname, search } = new URL(wanted, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search : HOME
}

/** Two addresses that the browser visits to sign in by the operator's OpenID provider. */
export function openIdRoutes(app: FastifyInstance, { services, limits, publicUrl }: SignInOptions): void {
  const { openId, userSessions } = services
  if (!openId) return

  app.get<{ Querystring: { to?: unknown } }>('/page/openid/start', async (request, reply) => {
    if (!limits.mayBeginSignIn(request)) return leadBack(reply, 'openid-unreachable')
    const redirectUri = originFor(publicUrl, request) + CALLBACK
    return orLeadBack(request, reply, async () => {
      const { address, attempt } = await openId.begin(redirectUri, safeReturn(request.query.to))
      setCookie(reply, attempt, ATTEMPT)
      return reply.redirect(address)
    })
  })

  app.get(CALLBACK, (request, reply) =>
    orLeadBack(request, reply, async () => {
      const attempt = cookieOf(request, ATTEMPT.name) ?? ''
      setCookie(reply, null, { name: ATTEMPT.name })
      const address = new URL(request.url, originFor(publicUrl, request))
      const { user, returnTo } = await openId.finish(address, attempt)
      if (!(await isInItsSpace(request, user.project_id))) throw new OpenIdFailure('openid-no-role')
      const userAgent = request.headers['user-agent'] ?? ''
      setSessionCookie(reply, await userSessions.start(user, 'openid', userAgent, cookieOf(request)))
      return reply.redirect(returnTo)
    }),
  )
}

async function orLeadBack(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  reply.header('cache-control', 'no-store')
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OpenIdFailure)) throw error
    request.log.warn({ err: error }, 'a sign-in by the OpenID provider failed')
    return leadBack(reply, error.problem)
  }
}

/** The sign-in page has words for each problem. */
const leadBack = (reply: FastifyReply, problem: OpenIdProblem) =>
  reply.redirect(`/sign-in?problem=${problem}`)
