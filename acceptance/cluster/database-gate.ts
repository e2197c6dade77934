import type { TemporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { freePort } from '../testing/server-process.ts'
import { Haproxy } from './haproxy.ts'

/** Where each node reaches the database, and nobody else does; and where the test does. */
const HOSTS: Readonly<Record<string, string>> = {
  a: '127.0.2.1',
  b: '127.0.2.2',
  c: '127.0.2.3',
  test: '127.0.2.4',
}

/**
 * HAProxy before a primary and its standby: it leads to the one of them that writes, as docs/scaling.md has it. Each node has
 * an address of its own there, so that one alone can be cut off.
 */
export class DatabaseGate {
  readonly #haproxy: Haproxy
  readonly #port: number

  private constructor(haproxy: Haproxy, port: number) {
    this.#haproxy = haproxy
    this.#port = port
  }

  static async start(servers: readonly TemporaryCluster[]): Promise<DatabaseGate> {
    const port = await freePort()
    const sockets = servers.map(({ socket }) => socket)
    const haproxy = await Haproxy.start(configuration(port, sockets), { host: '127.0.2.1', port })
    return new DatabaseGate(haproxy, port)
  }

  /** Where a node reaches the database. */
  placeOf(node: string): { host: string; port: number } {
    return { host: HOSTS[node] ?? '', port: this.#port }
  }

  /** The URL of a database for a node, or for the test. */
  urlOf(node: string, url: string): string {
    return `postgres://parley@${HOSTS[node]}:${this.#port}${new URL(url).pathname}`
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

function configuration(port: number, sockets: readonly string[]): string {
  const binds = Object.values(HOSTS).map((host) => `  bind ${host}:${port}`)
  const servers = sockets.map((socket, index) => `  server postgres-${index} unix@${socket} check`)
  return `frontend all
${binds.join('\n')}
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
