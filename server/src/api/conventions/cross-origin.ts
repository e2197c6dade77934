import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Pages of every origin may call the route. This is safe, because the credentials are not a cookie, but a header
     * that the page must know.
     */
    crossOrigin?: boolean
  }
}

/** How long a browser may cache the answer to a preflight. */
const PREFLIGHT_SECONDS = 7200

/** Headers of the answer to a preflight (Fetch standard, section 3.2). */
export const preflightHeaders = (methods: string) => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods,
  'access-control-allow-headers': 'authorization, content-type, idempotency-key, x-request-id',
  'access-control-max-age': String(PREFLIGHT_SECONDS),
})

/**
 * Lets pages of every origin call all later routes of this scope of the application. Use it only for routes that accept
 * the token of an end user: an API token of a project must never be in a browser.
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
