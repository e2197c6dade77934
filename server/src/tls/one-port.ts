import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'

/** First byte of a TLS record that carries a handshake (RFC 8446, section 5.1). */
const TLS_HANDSHAKE = 0x16
/** How long a client may take until its first byte, in milliseconds. */
const FIRST_BYTE_TIMEOUT_MS = 5000
/** How long it may take from there until TLS is set up, in milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** How long nothing may move on a connection while a request is under way, in milliseconds. */
const STALL_TIMEOUT_MS = 120_000

/** Who decides which connections there is room for, and is told what becomes of them. */
export interface PortKeeper {
  /** @returns false for a connection that must be closed */
  accept(socket: Socket): boolean
  /** TLS has wrapped an accepted connection into this socket. */
  secured(socket: Socket): void
  /** A request has come on it. */
  active(socket: Socket): void
}

/** HTTP/1.1 demands a Host header, and no version takes two (RFC 9112, section 3.2). */
class NotOneHost extends Error {
  readonly code = 'ERR_HTTP_NO_HOST'
}

/**
 * An HTTPS server whose port also understands plain HTTP, so that it can answer a client that came without TLS in
 * words instead of hanging up, and so that a proxy can end TLS in front of it. Which plain requests are served is
 * decided by the listener: their sockets are not `encrypted`.
 *
 * Both kinds of requests, upgrades and client errors arrive at the one server that is returned.
 */
export function createOnePortServer(
  options: ServerOptions,
  listener: RequestListener,
  keeper?: PortKeeper,
): HttpsServer {
  // Without a Host header the parser would answer by itself, and without a body.
  const settings = { ...options, requireHostHeader: false, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
  const secure: HttpsServer = createHttpsServer(settings, (request, response) => {
    keeper?.active(request.socket)
    if (hasOneHost(request)) listener(request, response)
    else secure.emit('clientError', new NotOneHost(), request.socket)
  })
  const plain = createHttpServer(settings, (request, response) => secure.emit('request', request, response))
  // What is expected beyond `100-continue` is nothing that could be kept back, so that it is not refused either.
  secure.on('checkExpectation', (request, response) => secure.emit('request', request, response))
  for (const server of [secure, plain]) server.setTimeout(STALL_TIMEOUT_MS)
  // Before TLS is set up nothing can be told, and an answer would wait for it for ever.
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  secure.on('secureConnection', (socket) => keeper?.secured(socket))
  forwardEvents(plain, secure)

  // The HTTPS server's own listener starts TLS on a socket; ours stands before it.
  const [startTls] = secure.listeners('connection') as [(this: Server, socket: Socket) => void]
  secure.removeAllListeners('connection')
  const waiting = new Set<Socket>()
  secure.on('connection', (socket: Socket) => {
    if (keeper && !keeper.accept(socket)) {
      socket.destroy()
      return
    }
    waiting.add(socket)
    const giveUp = () => socket.destroy()
    socket.setTimeout(FIRST_BYTE_TIMEOUT_MS, giveUp)
    socket.once('error', giveUp)
    socket.once('close', () => waiting.delete(socket))
    socket.once('data', (chunk: Buffer) => {
      waiting.delete(socket)
      socket.setTimeout(0, giveUp)
      socket.off('timeout', giveUp)
      socket.off('error', giveUp)
      socket.pause()
      socket.unshift(chunk)
      if (chunk[0] === TLS_HANDSHAKE) startTls.call(secure, socket)
      else plain.emit('connection', socket)
      // The server that took the socket over has its listeners in place by the next tick.
      process.nextTick(() => socket.resume())
    })
  })

  // A server that never listens by itself would not watch over slow and idle connections.
  secure.once('listening', () => plain.emit('listening'))
  closeTogether(secure, plain, waiting)
  return secure
}

function hasOneHost({ headers, httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1'
  const isHost = (name: string, index: number) =>
    index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host'
  return rawHeaders.findIndex(isHost) === rawHeaders.findLastIndex(isHost)
}

/** What happens on plain connections is handled where the HTTPS server's is. */
function forwardEvents(plain: Server, secure: HttpsServer): void {
  plain.on('upgrade', (request, socket, head) => {
    if (!secure.emit('upgrade', request, socket, head)) socket.destroy()
  })
  plain.on('checkExpectation', (request, response) => secure.emit('request', request, response))
  plain.on('connect', (request, socket, head) => {
    if (!secure.emit('connect', request, socket, head)) socket.destroy()
  })
  plain.on('clientError', (error, socket) => {
    if (!secure.emit('clientError', error, socket)) socket.destroy()
  })
}

function closeTogether(secure: HttpsServer, plain: Server, waiting: ReadonlySet<Socket>): void {
  const closeSecure = secure.close.bind(secure)
  const closeSecureIdle = secure.closeIdleConnections.bind(secure)
  const closeSecureAll = secure.closeAllConnections.bind(secure)
  const closeWaiting = () => {
    for (const socket of waiting) socket.destroy()
  }
  secure.close = (callback) => {
    closeWaiting()
    plain.close()
    return closeSecure(callback)
  }
  secure.closeIdleConnections = () => {
    closeWaiting()
    plain.closeIdleConnections()
    closeSecureIdle()
  }
  secure.closeAllConnections = () => {
    closeWaiting()
    plain.closeAllConnections()
    closeSecureAll()
  }
}
