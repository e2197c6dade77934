import type { FastifyInstance } from 'fastify'

/** Headers by which pages of other origins use a route. */
interface CrossOrigin {
  /** Headers that a page may send, beside those that every page may. */
  sent: string
  /** Headers of the answer that a page may read. */
  read: string
}

const FOR_OPERATIONS: CrossOrigin = {
  sent: 'authorization, content-type, idempotency-key, x-request-id',
  read: 'retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, x-request-id, idempotency-replayed',
}

/** For files in ranges (RFC 9110, section 14). */
const FOR_MEDIA: CrossOrigin = {
  sent: 'range, if-range, if-match, if-none-match, if-modified-since, if-unmodified-since',
  read: 'accept-ranges, content-disposition, content-length, content-range, etag, last-modified, x-request-id',
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Pages of every origin may call the route. This is safe, because the credentials are not a cookie, but a header
     * or a link that the page must know.
     */
    crossOrigin?: CrossOrigin
  }
}

/** How long a browser may cache the answer to a preflight. */
const PREFLIGHT_SECONDS = 7200

/** Headers of the answer to a preflight (Fetch standard, section 3.2). */
export const preflightHeaders = (methods: string, { sent }: CrossOrigin) => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': methods,
  'access-control-allow-headers': sent,
  'access-control-max-age': String(PREFLIGHT_SECONDS),
})

/**
 * Lets pages of every origin call all later routes of this scope of the application. Use it only for routes that accept
 * the token of an end user: an API token of a project must never be in a browser.
 */
export function useCrossOrigin(app: FastifyInstance): void {
  open(app, FOR_OPERATIONS)
}

/** Lets pages of every origin play the files behind the signed links of this scope, also with `crossorigin`. */
export function useCrossOriginMedia(app: FastifyInstance): void {
  open(app, FOR_MEDIA)
}

function open(app: FastifyInstance, crossOrigin: CrossOrigin): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, crossOrigin }
  })
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', crossOrigin.read)
  })
}
