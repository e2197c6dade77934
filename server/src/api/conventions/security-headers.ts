import type { FastifyInstance } from 'fastify'

/** Headers that go on an answer. */
type Headers = Readonly<Record<string, string>>

/** HTTPS only (RFC 6797, for a year), no guessing of content types, and no address of ours for other sites. */
const EVERYWHERE: Headers = {
  'strict-transport-security': `max-age=${365 * 24 * 60 * 60}`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/**
 * For `localhost`. HSTS counts for all ports of a host: a browser that held this name to HTTPS would no longer open what
 * else a developer runs there. An age of 0 takes back what an earlier answer may have said.
 */
const ON_LOCALHOST: Headers = { ...EVERYWHERE, 'strict-transport-security': 'max-age=0' }

/**
 * Headers of every answer, whatever it answers.
 * @param host as the client named it, with or without its port; empty where it named none
 */
export function securityHeaders(host: string): Headers {
  return /^localhost(:\d+)?$/i.test(host) ? ON_LOCALHOST : EVERYWHERE
}

/** Puts {@link securityHeaders} on every answer of the application. */
export function useSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(request.headers.host ?? ''))
    done()
  })
}
