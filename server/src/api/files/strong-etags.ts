import type { FastifyInstance } from 'fastify'

const WEAK = 'W/'

/**
 * Makes the ETags of the static files of this scope strong, so that `If-Range` works with them (RFC 9110, section 13.1.5).
 * Use it only for files that are complete and never change. The static file handler makes weak ones from size and time,
 * and compares only with these.
 */
export function useStrongEtags(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ headers }) => {
    const ifRange = headers['if-range']
    if (typeof ifRange === 'string' && ifRange.includes('"'))
      headers['if-range'] = ifRange.startsWith(WEAK) ? '"weak"' : WEAK + ifRange
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    const etag = reply.getHeader('etag')
    if (typeof etag === 'string' && etag.startsWith(WEAK)) reply.header('etag', etag.slice(WEAK.length))
    return payload
  })
}
