import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import type { ShownInvitation } from '../../rooms/invitations.ts'
import type { SignInOptions } from './authentication.ts'
import { documentSecurity, INVITATION } from './security-schemes.ts'
import { isInItsSpace } from './spaces.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the conference token of the request invites to. */
    invitation: ShownInvitation | null
  }
}

/** Requires the token of a conference (RFC 6750) on all routes of this scope of the application. */
export function useConferenceTokens(app: FastifyInstance, options: SignInOptions): void {
  app.decorateRequest('invitation', null)
  app.decorateRequest('caller', null)
  app.addHook('onRoute', (route) => {
    route.config = { challenge: 'Bearer realm="Parley"', ...route.config }
  })
  documentSecurity(app, [INVITATION], null)
  app.addHook('onRequest', (request, reply) => admit(request, reply, options))
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { services: { invitations }, limits }: SignInOptions,
): Promise<void> {
  const token = /^bearer +(vpt_[0-9a-f]+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
  if (token === undefined) throw new Refusal('token_invalid')
  // The look-up counts a token that was not found.
  const invitation = await limits.lookUp(request, reply, () => invitations.read(token))
  if (!invitation) throw new Refusal('token_invalid')
  const { project_id } = invitation.conference
  if (!(await isInItsSpace(request, project_id))) {
    limits.countFailedSignIn(request, reply)
    throw new Refusal('token_invalid')
  }
  limits.admitVisitor(project_id, request, reply)
  request.invitation = invitation
  request.caller = { projectId: project_id, scopes: [], name: '', tokenId: null, person: null }
}
