import { IncomingMessage } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { Duplex } from 'node:stream'
import { type Containment, containEvents, type FaultIds } from '../containment.ts'
import { requestId } from './conventions/request-ids.ts'

/** Limits a fault in a server event to the connection that the event concerns: that connection is closed. */
export function containConnections(server: HttpsServer, containment: Containment): void {
  containEvents(server, (event, error, args) => {
    containment.note(`connection event ${event}`, error, idsOf(args))
    closeConnection(args)
  })
}

/** The request id that the caller may search the log for, if the event has a request. */
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
