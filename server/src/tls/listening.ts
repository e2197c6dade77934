import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { type AddressInfo, isIPv6 } from 'node:net'
import type { Config } from '../config.ts'
import { OperatorError } from '../errors/operator-error.ts'
import { tcpListeners } from '../port-holders.ts'

/** How long requests in progress may take after the server is told to stop, in milliseconds. */
const REQUESTS_GRACE_MS = 2000

/** Thrown when the server cannot listen at the configured address. The message says why. */
export class CannotListen extends OperatorError {
  override readonly name = 'CannotListen'
}

/** Address that a server listens on. */
export interface ListeningAddress {
  host: string
  port: number
}

/**
 * @param option the option that sets the port, for the message
 * @throws CannotListen
 */
export async function listen(
  server: HttpServer | HttpsServer,
  { host, port }: Pick<Config, 'host' | 'port'>,
  option = 'PARLEY_PORT',
): Promise<ListeningAddress> {
  server.listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    const holder = code === 'EADDRINUSE' ? await tcpListeners(port) : ''
    const by = holder === '' ? '' : ` by ${holder}`
    const none = option === 'PARLEY_PORT' ? '0 picks a free one' : '0 for none'
    const reasons: Record<string, string> = {
      EADDRINUSE: `port ${port} is taken${by}; stop what uses it, or set ${option} to another one (${none})`,
      EACCES: `port ${port} needs more rights than this process has; set ${option} to one above 1023`,
      EADDRNOTAVAIL: `this machine has no address ${host}; set PARLEY_HOST to one that it has`,
      ENOTFOUND: `the host name ${host} leads nowhere; set PARLEY_HOST to an address of this machine`,
    }
    throw new CannotListen(`cannot listen on ${host}: ${reasons[code] ?? message}`, { cause: error })
  }
  const bound = server.address() as AddressInfo
  return { host: bound.address, port: bound.port }
}

/** Resolves when all connections are closed. Connections with a request in progress get {@link REQUESTS_GRACE_MS}. */
export async function closeServer(server: HttpServer | HttpsServer): Promise<void> {
  if (server.listening) server.close()
  const closed = new Promise<void>((done) => {
    server.getConnections((_error, count) => (count === 0 ? done() : server.once('close', done)))
  })
  server.closeIdleConnections()
  const deadline = setTimeout(() => server.closeAllConnections(), REQUESTS_GRACE_MS)
  await closed
  clearTimeout(deadline)
}

/** An address to listen on, as the host of a URL. */
export function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}
