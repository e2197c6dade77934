import type { FastifyInstance } from 'fastify'
import type { UserInvitation } from '../../accounts/own-account.ts'
import { Refusal } from '../../errors/refusal.ts'
import { admitPerson, checkOwnPage, hasSession, type PersonOptions } from './person-admission.ts'
import { documentSecurity, SESSION, SIGN_IN_LINK } from './security-schemes.ts'
import { isInItsSpace } from './spaces.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the one-time link of the request invites to. */
    signInLink: UserInvitation | null
  }
}

/** Requires the cookie of a user's session on all routes of this scope of the application. */
export function useSessions(app: FastifyInstance, options: PersonOptions): void {
  app.decorateRequest('caller', null)
  documentSecurity(app, [SESSION], null)
  app.addHook('onRequest', async (request, reply) => {
    if (!hasSession(request)) throw new Refusal('token_invalid')
    await admitPerson(request, reply, options, null)
  })
}

/** Lets pages of this server call all routes of this scope without credentials: these are in the body. */
export function useSignIn(app: FastifyInstance, { publicUrl }: PersonOptions): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, signsIn: true }
    route.schema = { ...route.schema, security: [] }
  })
  app.addHook('onRequest', async (request) => checkOwnPage(request, publicUrl))
}

/**
 * Requires the secret of a one-time link, as bearer token, on all routes of this scope. Only pages of this server may use
 * the link up.
 */
export function useSignInLinks(app: FastifyInstance, options: PersonOptions): void {
  const { services, limits, publicUrl } = options
  app.decorateRequest('signInLink', null)
  documentSecurity(app, [SIGN_IN_LINK], null)
  app.addHook('onRoute', (route) => {
    route.config = { challenge: 'Bearer realm="Parley"', ...route.config }
  })
  app.addHook('onRequest', async (request, reply) => {
    const secret = /^bearer +([\w-]+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
    if (secret === undefined) throw new Refusal('token_invalid')
    if (request.method !== 'GET') checkOwnPage(request, publicUrl)
    // The look-up counts a secret that was not found.
    const found = await limits.lookUp(request, reply, () => services.ownAccounts.readInvitation(secret))
    const isGood = found !== undefined && (await isInItsSpace(request, found.project.id))
    if (!isGood) throw new Refusal('token_invalid')
    request.signInLink = found
  })
}
