import type { FastifyInstance } from 'fastify'

/** `GET /healthz`: 200 while everything works that a meeting needs, 503 otherwise. Wants no credentials. */
export function healthRoute(app: FastifyInstance, isReady: () => boolean): void {
  app.get('/healthz', async (_request, reply) => {
    const ready = isReady()
    return reply
      .code(ready ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ready ? 'ok' : 'unavailable' })
  })
}
