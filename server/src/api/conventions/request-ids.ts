import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../ids.ts'

/** The caller's own id for a request, if it is harmless, or a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,100}$/.test(given) ? given : newId()
}

/** Every answer says under which id the logs have its request. */
export function useRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    tellRequestId(request, reply)
    done()
  })
}

/** Says in the answer under which id the logs have its request. */
export function tellRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
}
