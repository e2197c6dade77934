import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import { readPresented } from '../../rooms/presented-token.ts'
import type { ReadToken } from '../../rooms/token-reader.ts'
import type { SignInOptions } from '../conventions/authentication.ts'
import { isInItsSpace } from '../conventions/spaces.ts'

/**
 * Reads the conference token or room token that a request has as bearer token.
 * @throws Refusal `token_invalid`, `rate_limit_exceeded`
 */
export async function tokenHolder(
  request: FastifyRequest,
  reply: FastifyReply,
  { services, limits }: SignInOptions,
): Promise<ReadToken> {
  const sent = /^bearer +(\S+)\s*$/i.exec(request.headers.authorization ?? '')?.[1]
  if (sent === undefined) throw new Refusal('token_invalid')
  const { token } = readPresented(sent)
  // The look-up counts a token that was not found.
  const read = await limits.lookUp(request, reply, () => services.tokenReader.read(token))
  if (!read) throw new Refusal('token_invalid')
  const { project_id } = read.claims
  if (!(await isInItsSpace(request, project_id))) {
    limits.countFailedSignIn(request, reply)
    throw new Refusal('token_invalid')
  }
  limits.admitVisitor(project_id, request, reply)
  return read
}
