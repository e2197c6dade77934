import { createServer, IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { type Containment, containEvents } from '../containment.ts'
import { REQUEST_TIMES } from '../limits/request-times.ts'
import { CannotListen, closeServer, type ListeningAddress, listen } from '../tls/listening.ts'
import type { PortKeeper } from '../tls/one-port.ts'
import { type PlainAnswer, send } from './plain-answer.ts'

const OPTION = 'PARLEY_HTTP_PORT'
/** How long a client may take to read an answer, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000

/** The port for plain HTTP. */
export interface PlainHttpServer {
  address: ListeningAddress
  stop(): Promise<void>
}

export interface PlainHttpOptions {
  host: string
  /** TCP port to listen on. */
  port: number
  /** Counts its connections together with those of the port for HTTPS. */
  connections: Pick<PortKeeper, 'accept' | 'active'>
  answer: (request: IncomingMessage) => Promise<PlainAnswer>
  containment: Containment
  log: Logger
}

/**
 * Serves plain HTTP. The server can do without it: when it cannot listen, it logs why and returns null. Each connection
 * carries one request, without a body, within the times of {@link REQUEST_TIMES}.
 */
export async function startPlainHttp(options: PlainHttpOptions): Promise<PlainHttpServer | null> {
  const { host, port, connections, log } = options
  const server = createServer(REQUEST_TIMES, (request, response) => {
    connections.active(request.socket)
    void respond(request, response, options)
  })
  server.setTimeout(IDLE_TIMEOUT_MS)
  server.on('connection', (socket) => {
    if (!connections.accept(socket)) socket.destroy()
  })
  contain(server, options.containment)
  try {
    const address = await listen(server, { host, port }, OPTION)
    return { address, stop: () => closeServer(server) }
  } catch (error) {
    if (!(error instanceof CannotListen)) throw error
    log.warn(
      { option: OPTION, reason: error.message },
      'there is no plain HTTP; HTTPS is served all the same',
    )
    return null
  }
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, containment }: PlainHttpOptions,
): Promise<void> {
  try {
    send(request, response, await answer(request))
  } catch (error) {
    containment.note('plain HTTP', error, { path: request.url?.split('?', 1)[0] })
    request.socket.destroy()
  }
}

/** Limits a fault in an event to the connection that it concerns. */
function contain(server: Server, containment: Containment): void {
  containEvents(server, (event, error, args) => {
    containment.note(`plain HTTP event ${event}`, error)
    for (const argument of args) {
      if (argument instanceof Duplex) argument.destroy()
      else if (argument instanceof IncomingMessage) argument.socket.destroy()
    }
  })
}
