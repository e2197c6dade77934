import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { publicHost } from '../../public-host.ts'

/** URL where the caller reaches this server, such as `https://meet.example.org:8443`; see {@link publicHost}. */
export function originFor(publicUrl: string | null, request: FastifyRequest): string {
  return `https://${hostFor(publicUrl, request)}`
}

/** Host, and port unless it is 443, of {@link originFor}. */
export function hostFor(publicUrl: string | null, request: FastifyRequest): string {
  const { localPort } = request.socket
  return publicHost(publicUrl, request.server.spaces, { host: request.host ?? '', localPort })
}

/**
 * Every host where a page that was loaded with this request may reach this server: the host that it was loaded from,
 * and the configured one, which tokens name.
 */
export function publicHosts(publicUrl: string | null, request: FastifyRequest): string[] {
  return [...new Set([hostFor(null, request), hostFor(publicUrl, request)])]
}

/**
 * Like {@link originFor}, for a connection without a readable request. It uses the name that the client asked for in
 * the TLS handshake, or the address that it connected to.
 */
export function socketOrigin(publicUrl: string | null, socket: Duplex): string {
  if (publicUrl !== null) return publicUrl
  const { servername, localAddress = '', localPort } = socket as Partial<TLSSocket>
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  const host = servername || (address.includes(':') ? `[${address}]` : address) || 'localhost'
  return `https://${host}:${localPort ?? 443}`
}
