import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Config } from '../config.ts'
import { Counts } from '../counts.ts'
import type { LimitLog } from './limit-log.ts'
import { networkOf } from './network-of.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/**
 * Share of all connections, and of the connections of one address, that is reserved for clients that have not signed in
 * yet.
 */
const SHARE_OF_STRANGERS = 0.1

/** Limits on connections. 0 means no limit, except for `maxConnections`. */
export type ConnectionLimits = Pick<
  Config,
  'maxConnections' | 'connectionsPerAddress' | 'connectionsPerToken' | 'connectionsPerProject'
>

/** Owner of a connection after its client has signed in. */
export interface Holder {
  project: string
  /** Id of the token that a WebSocket signed in with. The limit per token counts each address separately. */
  token?: string
}

/** Holder of the connections over which other nodes of the cluster fetch something. No limit applies to them. */
export const OTHER_NODES: Holder = { project: 'other nodes' }

/** The limit that keeps a client out. */
export type Fullness = 'server' | 'address' | 'token' | 'project'

const OPTION = {
  server: 'PARLEY_MAX_CONNECTIONS',
  address: 'PARLEY_CONNECTIONS_PER_ADDRESS',
  token: 'PARLEY_CONNECTIONS_PER_TOKEN',
  project: 'PARLEY_CONNECTIONS_PER_PROJECT',
} as const

interface Entry {
  readonly socket: Socket
  /** See {@link networkOf}. Null for a trusted proxy, until a request tells the client's address. */
  network: string | null
  /** Present once the client has signed in. */
  holder?: Holder
}

/**
 * All TCP connections of the server and their owners. A stranger is a connection on which nobody has signed in yet.
 * When there is no room for another connection, the pool closes the stranger that has been silent for longest. It never
 * closes the connection of a signed-in client to make room for another one.
 */
export class ConnectionPool {
  readonly #limits: ConnectionLimits
  readonly #proxies: Pick<TrustedProxies, 'isTrusted'>
  readonly #log: LimitLog
  readonly #entries = new WeakMap<Duplex, Entry>()
  /** Keyed by remote address and port, until TLS has wrapped the socket. */
  readonly #beforeTls = new Map<string, Entry>()
  /** Ordered: the stranger that has been silent for longest comes first. */
  readonly #strangers = new Set<Entry>()
  readonly #strangersOf = new Map<string, Set<Entry>>()
  #signedIn = 0
  /** Signed-in connections by network, by network and token, and by project. */
  readonly #signedInAt = new Counts()
  readonly #signedInWith = new Counts()
  readonly #signedInOf = new Counts()

  constructor(limits: ConnectionLimits, proxies: Pick<TrustedProxies, 'isTrusted'>, log: LimitLog) {
    this.#limits = limits
    this.#proxies = proxies
    this.#log = log
  }

  /** How many connections are open. */
  get size(): number {
    return this.#strangers.size + this.#signedIn
  }

  /**
   * Counts a new connection and makes room for it.
   * @returns false when there is no room: the caller must close the connection
   */
  accept(socket: Socket): boolean {
    const { remoteAddress } = socket
    // The client has disconnected already.
    if (remoteAddress === undefined) return false
    const network = this.#proxies.isTrusted(remoteAddress) ? null : networkOf(remoteAddress)
    if (!this.#makeRoomAt(network) || !this.#makeRoom()) return false
    const entry: Entry = { socket, network }
    this.#entries.set(socket, entry)
    this.#addStranger(entry)
    const name = peerName(socket)
    this.#beforeTls.set(name, entry)
    socket.once('close', () => {
      if (this.#beforeTls.get(name) === entry) this.#beforeTls.delete(name)
      this.#forget(entry)
    })
    return true
  }

  /** TLS has wrapped a connection. From now on this socket identifies it. */
  secured(socket: Socket): void {
    const name = peerName(socket)
    const entry = this.#beforeTls.get(name)
    if (!entry) return
    this.#beforeTls.delete(name)
    this.#entries.set(socket, entry)
  }

  /** A request has come. An active stranger is closed later than a silent one. */
  active(socket: Duplex): void {
    const entry = this.#entries.get(socket)
    if (!entry || entry.holder || entry.socket.destroyed) return
    this.#removeStranger(entry)
    this.#addStranger(entry)
  }

  /**
   * Sets the client's address of a connection that came through a trusted proxy.
   * @returns false when that address has no room for another connection
   */
  cameFrom(socket: Duplex, address: string): boolean {
    const entry = this.#entries.get(socket)
    if (!entry || entry.network !== null || entry.socket.destroyed) return true
    return this.#moveTo(entry, address)
  }

  /**
   * Sets the client's address of a connection that another node of the cluster passes on.
   * @returns false when that address has no room for another connection
   */
  passedOn(socket: Duplex, address: string): boolean {
    const entry = this.#entries.get(socket)
    return !entry || entry.socket.destroyed || this.#moveTo(entry, address)
  }

  #moveTo(entry: Entry, address: string): boolean {
    const network = networkOf(address)
    if (!this.#makeRoomAt(network)) return false
    const { holder } = entry
    this.#release(entry)
    entry.network = network
    if (holder) this.#hold(entry, holder)
    else this.#addStranger(entry)
    return true
  }

  /**
   * Records that a client has signed in on this connection.
   * @param returning the client takes back a place that was kept for it; no limit applies
   * @returns null when the client is in; otherwise the limit that keeps it out, and the connection stays a stranger
   */
  signIn(socket: Duplex, holder: Holder, { returning = false } = {}): Fullness | null {
    const entry = this.#entries.get(socket)
    // The connection is closed already.
    if (!entry || entry.socket.destroyed) return null
    const { project, token } = holder
    // A connection that carries HTTP requests belongs to one project, or, from a proxy, to several.
    if (entry.holder && (token === undefined || token === entry.holder.token)) return null
    this.#release(entry)
    const fullness = returning ? null : this.#fullnessFor(entry, holder)
    if (fullness === null) {
      this.#hold(entry, holder)
      return null
    }
    this.#addStranger(entry)
    if (token !== undefined) this.#log.reached(OPTION[fullness], { address: entry.network ?? '', project })
    return fullness
  }

  #fullnessFor({ network }: Entry, holder: Holder): Fullness | null {
    const { maxConnections, connectionsPerAddress, connectionsPerToken, connectionsPerProject } = this.#limits
    if (isFull(this.#signedInOf.of(holder.project), connectionsPerProject)) return 'project'
    const key = tokenKey(network, holder)
    if (key !== null && isFull(this.#signedInWith.of(key), connectionsPerToken)) return 'token'
    if (network !== null && isFull(this.#signedInAt.of(network), withoutReserve(connectionsPerAddress))) {
      return 'address'
    }
    return isFull(this.#signedIn, withoutReserve(maxConnections)) ? 'server' : null
  }

  #hold(entry: Entry, holder: Holder): void {
    entry.holder = holder
    this.#signedIn++
    this.#signedInOf.add(holder.project)
    const key = tokenKey(entry.network, holder)
    if (key !== null) this.#signedInWith.add(key)
    if (entry.network !== null) this.#signedInAt.add(entry.network)
  }

  /** Removes a connection from the counts. */
  #release(entry: Entry): void {
    const { holder, network } = entry
    if (!holder) {
      this.#removeStranger(entry)
      return
    }
    delete entry.holder
    this.#signedIn--
    this.#signedInOf.remove(holder.project)
    const key = tokenKey(network, holder)
    if (key !== null) this.#signedInWith.remove(key)
    if (network !== null) this.#signedInAt.remove(network)
  }

  #forget(entry: Entry): void {
    // A connection that was closed to make room is no longer counted.
    if (entry.holder || this.#strangers.has(entry)) this.#release(entry)
  }

  #makeRoom(): boolean {
    if (this.size < this.#limits.maxConnections) return true
    this.#log.reached(OPTION.server, {})
    return this.#closeFirst(this.#strangers)
  }

  #makeRoomAt(network: string | null): boolean {
    if (network === null) return true
    const strangers = this.#strangersOf.get(network)
    const count = this.#signedInAt.of(network) + (strangers?.size ?? 0)
    if (!isFull(count, this.#limits.connectionsPerAddress)) return true
    this.#log.reached(OPTION.address, { address: network })
    return this.#closeFirst(strangers)
  }

  #closeFirst(strangers: ReadonlySet<Entry> | undefined): boolean {
    const [first] = strangers ?? []
    if (!first) return false
    this.#removeStranger(first)
    first.socket.destroy()
    return true
  }

  #addStranger(entry: Entry): void {
    this.#strangers.add(entry)
    if (entry.network === null) return
    const neighbours = this.#strangersOf.get(entry.network)
    if (neighbours) neighbours.add(entry)
    else this.#strangersOf.set(entry.network, new Set([entry]))
  }

  #removeStranger(entry: Entry): void {
    this.#strangers.delete(entry)
    if (entry.network === null) return
    const neighbours = this.#strangersOf.get(entry.network)
    neighbours?.delete(entry)
    if (neighbours?.size === 0) this.#strangersOf.delete(entry.network)
  }
}

/** Identifies a connection while it is open. */
const peerName = ({ remoteAddress, remotePort, localPort }: Socket) =>
  `${remoteAddress}|${remotePort}|${localPort}`

const isFull = (count: number, limit: number) => limit > 0 && count >= limit

/** Limit for signed-in connections. The rest is reserved for strangers. */
const withoutReserve = (limit: number) => (limit > 1 ? limit - Math.ceil(limit * SHARE_OF_STRANGERS) : limit)

const tokenKey = (network: string | null, { token }: Holder) =>
  token === undefined ? null : `${network} ${token}`
