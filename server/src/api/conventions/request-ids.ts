import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { newId } from '../../ids.ts'

/** The caller's own id for a request if it is safe to log, otherwise a new one. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,100}$/.test(given) ? given : newId()
}

/** Adds the request id to every answer, so that its request can be found in the logs. */
export function useRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    tellRequestId(request, reply)
    done()
  })
}

/** Adds the request id to an answer. */
export function tellRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
}
