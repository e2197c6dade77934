import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of every origin may call the route: its credentials are no cookies, but a header that they must know. */
    crossOrigin?: boolean
  }
}

/** How long a browser may remember the answer to a preflight. */
const PREFLIGHT_SECONDS = 7200

/** What a preflight is told (Fetch standard, section 3.2). */
export const preflightHeaders = (methods: string) => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods,
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
})

/**
 * Lets pages of every origin call all routes of this scope of the application that come after it. Only what carries
 * the token of an end user belongs here: an API token of a project has no business in a browser.
 */
export function useCrossOrigin(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, crossOrigin: true }
  })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header(
      'access-control-expose-headers',
      'retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, x-request-id, idempotency-replayed',
    )
  })
}
