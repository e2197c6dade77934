import { readFile } from 'node:fs/promises'
import { type ConnectionOptions, connect, type NatsConnection } from '@nats-io/transport-node'
import type { Config } from '../../config.ts'
import { OperatorError } from '../../errors/operator-error.ts'

/** How long the first connection may take. */
const CONNECT_MS = 5000
const RECONNECT_MS = 200
/** A connection that answers no ping for two of these intervals is given up, and made anew. */
const PING_MS = 1000

/** NATS cannot be used, or another node has this one's name. */
export class CannotJoinCluster extends OperatorError {
  override readonly name = 'CannotJoinCluster'
}

export type NatsConfig = Config & { natsUrls: readonly string[]; nodeAddress: string }

/**
 * Connects to NATS. A lost connection is made again until it is closed.
 * @throws CannotJoinCluster that names the server, without its password
 */
export async function connectToNats(config: NatsConfig): Promise<NatsConnection> {
  const { natsUrls, natsCa, nodeName } = config
  const [first = ''] = natsUrls
  const { username, password } = new URL(first)
  const isTls = natsUrls.some((url) => url.startsWith('tls:'))
  const options: ConnectionOptions = {
    servers: natsUrls.map((url) => new URL(url).host),
    name: `parley ${nodeName}`,
    noEcho: true,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    ...credentials(decodeURIComponent(username), decodeURIComponent(password)),
    ...((isTls || natsCa !== null) && { tls: natsCa === null ? {} : { ca: await authority(natsCa) } }),
  }
  try {
    return await connect(options)
  } catch (error) {
    const places = natsUrls.map((url) => new URL(url).host).join(', ')
    const reason = error instanceof Error ? error.message : String(error)
    throw new CannotJoinCluster(
      `NATS at ${places} cannot be used: ${reason}. Start it, or correct PARLEY_NATS_URL`,
    )
  }
}

/** A user name without a password is a token, as in the URLs of other NATS clients. */
function credentials(user: string, pass: string): Pick<ConnectionOptions, 'user' | 'pass' | 'token'> {
  if (user === '') return {}
  return pass === '' ? { token: user } : { user, pass }
}

async function authority(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new CannotJoinCluster(`PARLEY_NATS_CA cannot be read: ${(error as Error).message}`)
  }
}
