import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'
import { publicHost } from '../../public-host.ts'

/** Where the caller reaches this server, such as `https://meet.example.org:8443`; see {@link publicHost}. */
export function originFor(publicUrl: string | null, request: FastifyRequest): string {
  return `https://${hostFor(publicUrl, request)}`
}

/** Host, and port unless it is 443, of {@link originFor}. */
export function hostFor(publicUrl: string | null, request: FastifyRequest): string {
  const { localPort } = request.socket
  return publicHost(publicUrl, request.server.spaces, { host: request.host ?? '', localPort })
}

/**
 * Every host where a page that was loaded with this request may find this server: the one that it was loaded from, and
 * the configured one, which tokens name.
 */
export function publicHosts(publicUrl: string | null, request: FastifyRequest): string[] {
  return [...new Set([hostFor(null, request), hostFor(publicUrl, request)])]
}

/**
 * The same where there is no request that could be read: by the name that the client wanted in the TLS handshake, or
 * the address that it came to.
 */
export function socketOrigin(publicUrl: string | null, socket: Duplex): string {
  if (publicUrl !== null) return publicUrl
  const { servername, localAddress = '', localPort } = socket as Partial<TLSSocket>
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  const host = servername || (address.includes(':') ? `[${address}]` : address) || 'localhost'
  return `https://${host}:${localPort ?? 443}`
}
