import type { FastifyInstance } from 'fastify'
import type { Readiness } from '../health/readiness.ts'

/**
 * `GET /healthz`: 200 while the process lives. `GET /readyz`: 200 while it can serve, otherwise 503 with the reasons.
 * Neither needs credentials.
 */
export function healthRoutes(app: FastifyInstance, readiness: Pick<Readiness, 'troubles'>): void {
  app.get('/healthz', async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  )

  app.get('/readyz', async (_request, reply) => {
    const troubles = await readiness.troubles()
    const told = (isWarning: boolean) =>
      troubles
        .filter((trouble) => (trouble.isWarning ?? false) === isWarning)
        .map(({ part, code, message }) => ({ part, code, message }))
    const [reasons, warnings] = [told(false), told(true)]
    const isReady = reasons.length === 0
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: isReady ? 'ready' : 'unavailable', reasons, warnings })
  })
}
