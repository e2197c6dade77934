import type { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { noSuchRoute, rawAnswer } from './conventions/errors.ts'
import { plainHttpRefusal } from './conventions/https-only.ts'
import { socketOrigin } from './conventions/public-origin.ts'
import { requestId } from './conventions/request-ids.ts'

export interface UpgradeOptions {
  isSecure: (request: IncomingMessage) => boolean
  /** Takes over a connection as a WebSocket. @returns false when it leaves the connection untouched */
  takeOver: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean
  publicUrl: string | null
  log: Logger
}

/** Handles requests to upgrade a connection: WebSockets are taken over, all others are refused. */
export function handleUpgrades(server: HttpsServer, options: UpgradeOptions): void {
  const { isSecure, takeOver, publicUrl, log } = options
  server.on('upgrade', (request, socket, head) => {
    if (isSecure(request) && takeOver(request, socket, head)) return
    refuse(request, socket)
  })
  server.on('connect', (request, socket) => refuse(request, socket))

  function refuse(request: IncomingMessage, socket: Duplex): void {
    const id = requestId(request)
    const refusal = isSecure(request) ? noSuchRoute() : plainHttpRefusal()
    log.debug({ reqId: id, method: request.method, path: request.url?.split('?', 1)[0] }, 'no such upgrade')
    // The client may have disconnected. An error event without a listener would end the process.
    socket.on('error', () => socket.destroy())
    socket.end(rawAnswer(refusal, socketOrigin(publicUrl, socket), id))
  }
}
