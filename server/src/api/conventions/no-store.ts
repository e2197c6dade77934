import type { FastifyInstance } from 'fastify'

/**
 * Keeps the answers of all routes of this scope of the application out of caches, because they depend on the caller.
 */
export function useNoStore(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
}
