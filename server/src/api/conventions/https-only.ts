import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { Refusal } from '../../errors/refusal.ts'
import type { TrustedProxies } from '../../limits/trusted-proxies.ts'

/** The error for a request that came without TLS. */
export const plainHttpRefusal = () =>
  new Refusal('cannot_process', 'Only HTTPS is accepted here. Send the same request to the https:// address.')

/**
 * Makes a check whether a request came over TLS the whole way: to this server, or to a trusted proxy that says so in
 * `X-Forwarded-Proto`.
 */
export function secureTransportCheck(
  proxies: Pick<TrustedProxies, 'isTrusted'>,
): (request: IncomingMessage) => boolean {
  const isTls = (socket: IncomingMessage['socket']) => 'encrypted' in socket && socket.encrypted === true
  return ({ socket, headers }) => {
    const forwarded = headers['x-forwarded-proto']
    const isOwnTls = isTls(socket)
    if (!proxies.isTrusted(socket.remoteAddress)) return isOwnTls
    if (forwarded === undefined) return isOwnTls
    // The proxy nearest to this server wrote the last entry.
    return String(forwarded).split(',').at(-1)?.trim().toLowerCase() === 'https'
  }
}

/** Refuses every request that came without TLS, with no redirect and no data. */
export function useHttpsOnly(app: FastifyInstance, isSecure: (request: IncomingMessage) => boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (isSecure(request.raw)) {
      done()
      return
    }
    done(closingRefusal(reply))
  })
}

/** {@link plainHttpRefusal} as the last answer of its connection. */
export function closingRefusal(reply: FastifyReply): Refusal {
  reply.header('connection', 'close')
  return plainHttpRefusal()
}
