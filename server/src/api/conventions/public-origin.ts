import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { FastifyRequest } from 'fastify'

/** What a `Host` header may look like; anything else does not go into links. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/**
 * Where the caller reaches this server, such as `https://meet.example.org:8443`: as configured, or else as the caller
 * itself spelt it in this request. What a space hands out works at the host of that space alone, so that it names it.
 */
export function publicOrigin(publicUrl: string | null, request: FastifyRequest): string {
  return publicUrl && !isInSpace(request) ? publicUrl : `https://${callerHost(request)}`
}

/** Host, and port unless it is 443, of {@link publicOrigin}. */
export function publicHost(publicUrl: string | null, request: FastifyRequest): string {
  return publicUrl && !isInSpace(request) ? new URL(publicUrl).host : callerHost(request)
}

/**
 * Every host where a page that was loaded with this request may find this server: the one that it was loaded from, and
 * the configured one, which tokens name.
 */
export function publicHosts(publicUrl: string | null, request: FastifyRequest): string[] {
  return [...new Set([callerHost(request), publicHost(publicUrl, request)])]
}

const isInSpace = (request: FastifyRequest) => request.server.spaces.isSpace(request.host ?? '')

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

function callerHost(request: FastifyRequest): string {
  const host = request.host ?? ''
  if (HOST.test(host)) return host
  const { localPort } = request.socket
  return localPort ? `localhost:${localPort}` : 'localhost'
}
