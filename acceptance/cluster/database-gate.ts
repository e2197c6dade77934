import type { TemporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { freePort } from '../testing/server-process.ts'
import { Haproxy } from './haproxy.ts'

/** HAProxy before a primary and its standby: it leads to the one of them that writes, as docs/scaling.md has it. */
export class DatabaseGate {
  readonly #haproxy: Haproxy
  /** Address and port. */
  readonly #place: string

  private constructor(haproxy: Haproxy, place: string) {
    this.#haproxy = haproxy
    this.#place = place
  }

  /** @param host where it listens */
  static async start(servers: readonly TemporaryCluster[], host = '127.0.0.1'): Promise<DatabaseGate> {
    const port = await freePort()
    const sockets = servers.map(({ socket }) => socket)
    const place = `${host}:${port}`
    const haproxy = await Haproxy.start(configuration(place, sockets), { host, port })
    return new DatabaseGate(haproxy, place)
  }

  /** The URL of a database by way of it. */
  urlOf(url: string): string {
    return `postgres://parley@${this.#place}${new URL(url).pathname}`
  }

  stop(): Promise<void> {
    return this.#haproxy.stop()
  }
}

/** A message of a client of PostgreSQL (its documentation, "Message Formats"), as a line of the check in hexadecimal. */
function message(type: string, ...parts: readonly Buffer[]): string {
  const body = Buffer.concat(parts)
  const length = Buffer.alloc(4)
  length.writeInt32BE(4 + body.length)
  return `  tcp-check send-binary ${Buffer.concat([Buffer.from(type), length, body]).toString('hex')}`
}

const words = (...all: readonly string[]) => Buffer.from(`${all.join('\0')}\0`)
const PROTOCOL_3 = Buffer.from([0, 3, 0, 0])
/** `ReadyForQuery`, outside of a transaction. */
const READY = '5a0000000549'
/** `DataRow` with the one value `off`. */
const OFF = '440000000d0001000000036f6666'

function configuration(place: string, sockets: readonly string[]): string {
  const servers = sockets.map((socket, index) => `  server postgres-${index} unix@${socket} check`)
  return `frontend all
  bind ${place}
  default_backend writers
backend writers
  option tcp-check
  tcp-check connect
${message('', PROTOCOL_3, words('user', 'parley', 'database', 'postgres', ''))}
  tcp-check expect binary ${READY}
${message('Q', words('show transaction_read_only'))}
  tcp-check expect binary ${OFF}
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`
}
