import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type TemporaryCluster, temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { type TemporaryNats, temporaryNats } from '../../server/src/testing/temporary-nats.ts'
import { type Access, Rest } from '../testing/rest.ts'
import { freePort, ServerProcess } from '../testing/server-process.ts'
import { TcpRelay } from '../testing/tcp-relay.ts'
import { startBalancer } from './balancer.ts'
import type { Haproxy } from './haproxy.ts'
import { NODE_NAMES, type NodeNetwork } from './node-network.ts'

/** A port at which nothing listens. */
const NOWHERE = 1

/** What of the nodes is not the usual. */
interface ClusterOptions {
  /** The folder of the version that they run. */
  program?: string
  /** Where they reach the database, by way of something that the test controls. */
  database?: {
    postgres: TemporaryCluster
    /** @param url past everything in between */
    urlOf(url: string): string
  }
  /** Where they run, if they are to be cut off from each other, NATS or the database. The test closes it. */
  network?: NodeNetwork
}

/** Three nodes on this machine, with their own data folders, one PostgreSQL, one NATS, and a balancer before them. */
export class ThreeNodes {
  readonly postgres: TemporaryCluster
  readonly nats: TemporaryNats
  readonly #folder: string
  readonly #options: ClusterOptions
  readonly nodes = new Map<string, ServerProcess>()
  readonly ports = new Map<string, number>()
  balancer: Haproxy | null = null
  /** Each node reaches NATS by a relay of its own, so that one alone can be cut off. In a network of their own there are none. */
  readonly #relays = new Map<string, { relay: TcpRelay; target: { port: number } }>()
  /** Address of the balancer, and the credentials. */
  access!: Access
  /** The REST interface through the balancer. */
  rest!: Rest
  /** WebSocket of the balancer. */
  url = ''

  #databaseUrl = ''

  private constructor(postgres: TemporaryCluster, nats: TemporaryNats, options: ClusterOptions) {
    this.postgres = postgres
    this.nats = nats
    this.#options = options
    this.#folder = mkdtempSync(path.join(tmpdir(), 'parley-cluster-'))
  }

  /**
   * @param name of the suite
   * @param env options of all nodes that differ from the defaults; `PARLEY_PORT` is that of the balancer
   */
  static async start(
    name: string,
    { PARLEY_PORT: wanted, ...env }: Record<string, string> = {},
    options: ClusterOptions = {},
  ): Promise<ThreeNodes> {
    const [postgres, nats] = await Promise.all([
      options.database?.postgres ?? temporaryCluster(),
      temporaryNats(options.network?.natsHost),
    ])
    const port = Number(wanted ?? (await freePort()))
    const all = new ThreeNodes(postgres, nats, options)
    try {
      const database = await postgres.createDatabase()
      all.#databaseUrl = options.database?.urlOf(database) ?? database
      const common = {
        PARLEY_DATABASE_URL: all.#databaseUrl,
        PARLEY_PUBLIC_URL: `https://localhost:${port}`,
        PARLEY_ROOT_KEY: randomBytes(64).toString('base64'),
        PARLEY_MEDIA_WORKERS: '1',
        ...env,
      }
      // The first makes the project, and the certificate, which the others get as a copy.
      await all.#startNode(name, 'a', common)
      for (const other of ['b', 'c']) {
        cpSync(all.folderOf('a', 'tls'), all.folderOf(other, 'tls'), { recursive: true })
      }
      await Promise.all((['b', 'c'] as const).map((other) => all.#startNode(name, other, common)))
      all.balancer = await startBalancer(port, new Map(NODE_NAMES.map((each) => [each, all.#placeOf(each)])))
      all.url = `wss://localhost:${port}/`
      all.access = { ...all.node('a').access, baseUrl: common.PARLEY_PUBLIC_URL }
      all.rest = new Rest(all.access)
      return all
    } catch (error) {
      await all.stop()
      throw error
    }
  }

  /** @throws when there is no such node */
  node(name: string): ServerProcess {
    const node = this.nodes.get(name)
    if (!node) throw new Error(`there is no node ${name}`)
    return node
  }

  /** The names of the nodes. */
  get names(): readonly string[] {
    return NODE_NAMES
  }

  /** WebSocket of one node, past the balancer. */
  urlOf(name: string): string {
    return `wss://${this.#placeOf(name)}/`
  }

  /** The REST interface of one node, past the balancer. The caller closes it. */
  restOf(name: string): Rest {
    return new Rest({ ...this.node(name).access, baseUrl: `https://${this.#placeOf(name)}` })
  }

  /** A folder in the data folder of a node. */
  folderOf(name: string, part = ''): string {
    return path.join(this.#folder, name, part)
  }

  /** Has the connections of a node to NATS refused, and no others. {@link NodeNetwork.cut} drops packets instead. */
  cutOff(name: string): void {
    this.#pointRelay(name, NOWHERE)
  }

  /** Ends {@link cutOff}. */
  reconnect(name: string): void {
    this.#pointRelay(name, this.#natsPort)
  }

  /** Address and port of a node. */
  #placeOf(name: string): string {
    return `${this.#options.network?.hostOf(name) ?? '127.0.0.1'}:${this.ports.get(name)}`
  }

  #pointRelay(name: string, port: number): void {
    const { relay, target } = this.#relayOf(name)
    target.port = port
    relay.cut()
  }

  #relayOf(name: string) {
    const found = this.#relays.get(name)
    if (!found) throw new Error(`there is no relay of ${name}`)
    return found
  }

  get #natsPort(): number {
    return Number(new URL(this.nats.url).port)
  }

  /** Name of the node that runs the session in progress of a room; empty if none does. */
  async ownerOf(room: string): Promise<string> {
    const [owner = ''] = await this.query(
      `select owner_node from room_sessions where name = '${room}' and status = 'in-progress'`,
    )
    return owner
  }

  /** Runs a query. @returns its rows, with `|` between columns */
  async query(sql: string): Promise<string[]> {
    const text = await this.postgres.run(this.#databaseUrl, sql)
    return text.split('\n').filter((line) => line !== '')
  }

  async stop(): Promise<void> {
    await this.rest?.close()
    await this.balancer?.stop()
    for (const node of this.nodes.values()) await node.stop().catch(() => {})
    for (const node of this.nodes.values()) await node.remove()
    for (const { relay } of this.#relays.values()) await relay.close()
    await this.nats.remove()
    await this.postgres.remove()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #startNode(suite: string, name: string, env: Record<string, string>): Promise<void> {
    const { program, network } = this.#options
    const port = await freePort()
    this.ports.set(name, port)
    const own = {
      PARLEY_NATS_URL: network ? this.nats.url : await this.#openRelay(name),
      PARLEY_PORT: String(port),
      PARLEY_NODE_NAME: name,
      PARLEY_NODE_ADDRESS: this.#placeOf(name),
    }
    const node = await ServerProcess.start(`${suite}-${name}`, { ...env, ...own }, this.folderOf(name), {
      program,
      network: network && { entrance: network.entranceOf(name), host: network.hostOf(name) },
    })
    this.nodes.set(name, node)
  }

  /** @returns the URL of NATS by way of it */
  async #openRelay(name: string): Promise<string> {
    const target = { port: this.#natsPort }
    const relay = await TcpRelay.open(target)
    this.#relays.set(name, { relay, target })
    return `nats://127.0.0.1:${relay.port}`
  }
}
