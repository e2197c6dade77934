import type { FastifyReply } from 'fastify'

/** Answers 204, without a body and without the headers of one. */
export function noContent(reply: FastifyReply): FastifyReply {
  return reply.code(204).send()
}
