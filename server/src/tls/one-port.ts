import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { type Diversion, isPartOfRecord, TLS_HANDSHAKE } from './diversion.ts'

/** How long a client may take until its first byte, in milliseconds. */
const FIRST_BYTE_TIMEOUT_MS = 5000
/** How long the TLS handshake may take after the first byte, in milliseconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000
/** How long a connection may be silent while a request is under way, in milliseconds. */
const STALL_TIMEOUT_MS = 120_000
/** Number of pieces in which a client's first TLS record may come while it is looked at. Browsers send one or two. */
const FIRST_RECORD_PIECES = 8

/** Decides which connections are accepted, and is informed about them later. */
export interface PortKeeper {
  /** @returns false for a connection that must be closed */
  accept(socket: Socket): boolean
  /** TLS has wrapped an accepted connection into this socket. */
  secured(socket: Socket): void
  /** A request has come on this connection. */
  active(socket: Socket): void
}

/**
 * A request has no Host header or several. HTTP/1.1 requires one, and no version permits two (RFC 9112, section 3.2).
 */
class NotOneHost extends Error {
  readonly code = 'ERR_HTTP_NO_HOST'
}

/**
 * An HTTPS server whose port also understands plain HTTP. It can answer a client that came without TLS with an error
 * message, and a proxy can terminate TLS in front of it. The listener decides which plain requests to serve: their
 * sockets are not `encrypted`.
 *
 * Both kinds of requests, upgrades and client errors arrive at the returned server.
 */
export function createOnePortServer(
  options: ServerOptions,
  listener: RequestListener,
  keeper?: PortKeeper,
  diversion?: Diversion,
): HttpsServer {
  // Without this setting, the parser would answer a request without a Host header itself, with an empty body.
  const settings = { ...options, requireHostHeader: false, handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
  const secure: HttpsServer = createHttpsServer(settings, (request, response) => {
    keeper?.active(request.socket)
    if (hasOneHost(request)) listener(request, response)
    else secure.emit('clientError', new NotOneHost(), request.socket)
  })
  const plain = createHttpServer(settings, (request, response) => secure.emit('request', request, response))
  // Expectations other than `100-continue` are ignored: there is nothing to hold back for them, so the request is not
  // refused.
  secure.on('checkExpectation', (request, response) => secure.emit('request', request, response))
  for (const server of [secure, plain]) server.setTimeout(STALL_TIMEOUT_MS)
  // Before TLS is set up the client cannot be answered: an answer would wait for TLS for ever.
  secure.on('tlsClientError', (_error, socket) => socket.destroy())
  secure.on('secureConnection', (socket) => keeper?.secured(socket))
  forwardEvents(plain, secure)

  // The HTTPS server's own listener starts TLS on a socket. This listener runs before it.
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
    const pieces: Buffer[] = []
    const look = (piece: Buffer) => {
      pieces.push(piece)
      const bytes = Buffer.concat(pieces)
      if (diversion?.isOpen && isPartOfRecord(bytes) && pieces.length < FIRST_RECORD_PIECES) return
      socket.off('data', look)
      socket.setTimeout(0, giveUp)
      socket.off('timeout', giveUp)
      socket.off('error', giveUp)
      socket.pause()
      socket.unshift(bytes)
      handOver(socket, bytes)
      // The server that took over the socket has its listeners in place by the next tick.
      process.nextTick(() => socket.resume())
    }
    socket.on('data', look)
  })
  const handOver = (socket: Socket, bytes: Buffer) => {
    // A diverted connection stays among the waiting ones: nobody else closes it when the server stops.
    if (bytes[0] === TLS_HANDSHAKE && diversion?.isOpen && diversion.takes(bytes)) {
      diversion.take(socket)
      return
    }
    waiting.delete(socket)
    if (bytes[0] === TLS_HANDSHAKE) startTls.call(secure, socket)
    else plain.emit('connection', socket)
  }
  // Node starts the check for slow and idle connections on `listening`. The plain server never listens itself, so it
  // gets the event from the other one.
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

/** Forwards events of plain connections to the HTTPS server, which handles both. */
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
