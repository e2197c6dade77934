import type { FastifyInstance } from 'fastify'

/** Headers of an answer. */
type Headers = Readonly<Record<string, string>>

/** HTTPS only (HSTS, RFC 6797, for a year), no guessing of content types, and no referrer for other sites. */
const EVERYWHERE: Headers = {
  'strict-transport-security': `max-age=${365 * 24 * 60 * 60}`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * Headers for `localhost`. HSTS applies to all ports of a host: a browser that enforced HTTPS for this name could no
 * longer open other programs that a developer runs there. An age of 0 revokes what an earlier answer may have set.
 */
const ON_LOCALHOST: Headers = { ...EVERYWHERE, 'strict-transport-security': 'max-age=0' }

/**
 * Headers of every answer, including errors.
 * @param host host as the client sent it, with or without its port; empty if it sent none
 */
export function securityHeaders(host: string): Headers {
  return /^localhost(:\d+)?$/i.test(host) ? ON_LOCALHOST : EVERYWHERE
}

/** Adds {@link securityHeaders} to every answer of the application. */
export function useSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(request.headers.host ?? ''))
    done()
  })
}
