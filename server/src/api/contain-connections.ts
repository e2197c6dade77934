import { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { Duplex } from 'node:stream'
import { type Containment, containEvents, type FaultIds } from '../containment.ts'
import { requestId } from './conventions/request-ids.ts'

/** Keeps a fault in an event of the server with the one connection that the event is about: it is closed. */
export function containConnections(server: HttpsServer, containment: Containment): void {
  containEvents(server, (event, error, args) => {
    containment.note(`connection event ${event}`, error, idsOf(args))
    closeConnection(args)
  })
}

/** The id by which the caller of a failed event may look for it, where the event has a request. */
function idsOf(args: readonly unknown[]): FaultIds {
  const request = args.find((argument) => argument instanceof IncomingMessage)
  return request ? { reqId: requestId(request), method: request.method, path: request.url } : {}
}

function closeConnection(args: readonly unknown[]): void {
  for (const argument of args) {
    if (argument instanceof Duplex) argument.destroy()
    else if (argument instanceof IncomingMessage) argument.socket.destroy()
  }
}
