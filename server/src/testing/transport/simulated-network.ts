import { expect } from 'vitest'
import { writeCandidates } from '../../media-worker/transport/ice/agent/candidate.ts'
import type { IceAgent } from '../../media-worker/transport/ice/agent/ice-agent.ts'
import { IceAgents } from '../../media-worker/transport/ice/agent/ice-agents.ts'
import type {
  IceParameters,
  IcePath,
  IceRole,
  IceState,
  LocalSocket,
} from '../../media-worker/transport/ice/agent/ice-types.ts'
import type { TransportAddress } from '../../media-worker/transport/ice/agent/transport-address.ts'
import { isStun } from '../../media-worker/transport/ice/stun.ts'
import { seededRandom } from './link-model.ts'

const TICK_MS = 10

const textOf = ({ address, port }: TransportAddress) => `${address} ${port}`

/** A datagram on its way. */
interface InFlight {
  arrivesAtMs: number
  datagram: Buffer
  from: TransportAddress
  to: TransportAddress
}

/** A network of ICE agents in virtual time. It loses, delays, reorders and repeats datagrams, all by its seed. */
export class SimulatedNetwork {
  readonly random: () => number
  nowMs = 1000
  /** Share of datagrams, 0 to 1. */
  loss = 0
  repeated = 0
  delayMs = 20
  jitterMs = 5
  /** Whether a datagram may pass; the addresses are those outside of NATs. */
  passes: (from: string, to: string) => boolean = () => true
  /** Sees all that passes. */
  onDatagram: (datagram: Buffer, from: TransportAddress, to: TransportAddress) => void = () => {}
  #inFlight: InFlight[] = []
  readonly #sockets = new Map<string, SimulatedSocket>()
  readonly #nats = new Map<string, SimulatedNat>()
  readonly hosts: SimulatedHost[] = []

  constructor(seed = 1) {
    this.random = seededRandom(seed)
  }

  host(addresses: string[], nat?: SimulatedNat): SimulatedHost {
    const host = new SimulatedHost(this, addresses, nat)
    this.hosts.push(host)
    return host
  }

  nat(address: string, isSymmetric: boolean): SimulatedNat {
    const nat = new SimulatedNat(address, isSymmetric)
    this.#nats.set(address, nat)
    return nat
  }

  add(socket: SimulatedSocket): void {
    this.#sockets.set(textOf(socket), socket)
  }

  remove(socket: SimulatedSocket): void {
    this.#sockets.delete(textOf(socket))
  }

  send(datagram: Buffer, socket: SimulatedSocket, to: TransportAddress): void {
    const from = socket.host.nat?.outside(socket, to) ?? { address: socket.address, port: socket.port }
    this.inject(datagram, from, to)
  }

  /** Sends as if from any address: whoever does it may lie. */
  inject(datagram: Buffer, from: TransportAddress, to: TransportAddress): void {
    if (!this.passes(from.address, to.address)) return
    this.onDatagram(datagram, from, to)
    const copies = this.random() < this.repeated ? 2 : 1
    for (let copy = 0; copy < copies; copy++) {
      if (this.random() < this.loss) continue
      const arrivesAtMs = this.nowMs + this.delayMs + this.random() * this.jitterMs
      this.#inFlight.push({ arrivesAtMs, datagram: Buffer.from(datagram), from, to })
    }
  }

  /** Lets virtual time pass. */
  run(durationMs: number): void {
    const endMs = this.nowMs + durationMs
    while (this.nowMs < endMs) this.#step()
  }

  /** @returns whether it came true within the time */
  runUntil(isTrue: () => boolean, mostMs: number): boolean {
    const endMs = this.nowMs + mostMs
    while (!isTrue() && this.nowMs < endMs) this.#step()
    return isTrue()
  }

  #step(): void {
    this.nowMs += TICK_MS
    const arrived = this.#inFlight.filter(({ arrivesAtMs }) => arrivesAtMs <= this.nowMs)
    this.#inFlight = this.#inFlight.filter(({ arrivesAtMs }) => arrivesAtMs > this.nowMs)
    for (const each of arrived) this.#deliver(each)
    for (const { agents } of this.hosts) agents.tick(this.nowMs)
  }

  #deliver({ datagram, from, to }: InFlight): void {
    const nat = this.#nats.get(to.address)
    const inside = nat ? nat.inside(to.port, from) : this.#sockets.get(textOf(to))
    // Nobody has a route to the private addresses behind a NAT.
    if (inside && (nat || !inside.host.nat)) inside.host.onDatagram(datagram, inside, from)
  }
}

/** A NAT that lets in only who was sent to (RFC 4787: filtering by address and port). */
export class SimulatedNat {
  readonly address: string
  readonly #isSymmetric: boolean
  #nextPort = 20_000
  readonly #outside = new Map<string, number>()
  readonly #inside = new Map<number, { socket: SimulatedSocket; allowed: Set<string> }>()

  /** @param isSymmetric whether a socket gets another port for each address that it sends to */
  constructor(address: string, isSymmetric: boolean) {
    this.address = address
    this.#isSymmetric = isSymmetric
  }

  outside(socket: SimulatedSocket, to: TransportAddress): TransportAddress {
    const key = `${textOf(socket)} ${this.#isSymmetric ? textOf(to) : ''}`
    let port = this.#outside.get(key)
    if (!port) {
      port = this.#nextPort++
      this.#outside.set(key, port)
      this.#inside.set(port, { socket, allowed: new Set() })
    }
    this.#inside.get(port)!.allowed.add(textOf(to))
    return { address: this.address, port }
  }

  inside(port: number, from: TransportAddress): SimulatedSocket | undefined {
    const mapping = this.#inside.get(port)
    return mapping?.allowed.has(textOf(from)) ? mapping.socket : undefined
  }

  /** Forgets all, as a router does that starts anew. */
  restart(): void {
    this.#outside.clear()
    this.#inside.clear()
  }
}

/** A socket at one address of a host. */
export interface SimulatedSocket extends LocalSocket, TransportAddress {
  readonly host: SimulatedHost
}

/** A machine with a socket at each of its addresses, and the agents that use them. */
export class SimulatedHost {
  readonly network: SimulatedNetwork
  readonly nat: SimulatedNat | undefined
  readonly agents: IceAgents<SimulatedSocket>
  sockets: SimulatedSocket[] = []
  #nextPort = 5000
  /** Random bytes that are told before they are used. */
  readonly #drawn = new Map<number, Buffer>()
  /** Whose data arrives where. */
  readonly paths = new Map<SimulatedSocket, Map<string, SimulatedPeer>>()

  constructor(network: SimulatedNetwork, addresses: string[], nat?: SimulatedNat) {
    this.network = network
    this.nat = nat
    this.agents = new IceAgents(
      (datagram, { socket, remote }) => network.send(datagram, socket, remote),
      (count) => this.#random(count),
    )
    this.move(addresses)
  }

  #random(count: number): Buffer {
    const drawn = this.#drawn.get(count)
    this.#drawn.delete(count)
    return drawn ?? Buffer.from(Array.from({ length: count }, () => Math.floor(this.network.random() * 256)))
  }

  /**
   * What the next session that begins here will tell, for the side that makes an offer: agents by themselves only answer.
   * Nothing but fragment and password takes 6 and 18 random bytes.
   */
  foretell(): IceParameters {
    const [fragment, password] = [this.#random(6), this.#random(18)]
    this.#drawn.set(6, fragment).set(18, password)
    return {
      usernameFragment: fragment.toString('base64'),
      password: password.toString('base64'),
      candidates: writeCandidates(this.sockets),
    }
  }

  /** Gives up all sockets, for new ones at these addresses. Agents go on with what they were opened with. */
  move(addresses: string[]): void {
    for (const socket of this.sockets) this.network.remove(socket)
    this.sockets = addresses.map((address) => ({
      host: this,
      address,
      port: this.#nextPort++,
      family: address.includes(':') ? 6 : 4,
      addresses: [address],
    }))
    for (const socket of this.sockets) this.network.add(socket)
  }

  onDatagram(datagram: Buffer, socket: SimulatedSocket, from: TransportAddress): void {
    if (isStun(datagram)) this.agents.onStun(datagram, socket, from, this.network.nowMs)
    else this.paths.get(socket)?.get(textOf(from))?.received.push(datagram.toString('utf8', 1))
  }

  open(remote: IceParameters, role: IceRole, sockets = this.sockets): SimulatedPeer {
    return new SimulatedPeer(this, remote, role, sockets)
  }
}

/** One agent with what it told, and a table of paths that is kept as its owner has to. */
export class SimulatedPeer {
  readonly host: SimulatedHost
  readonly agent: IceAgent<SimulatedSocket>
  readonly states: IceState[] = []
  readonly selections: (IcePath<SimulatedSocket> | null)[] = []
  readonly received: string[] = []
  openPaths = 0

  constructor(host: SimulatedHost, remote: IceParameters, role: IceRole, sockets: SimulatedSocket[]) {
    this.host = host
    const events = {
      onState: (state: IceState) => this.states.push(state),
      onSelected: (path: IcePath<SimulatedSocket> | null) => this.selections.push(path),
      onPathOpened: (path: IcePath<SimulatedSocket>) => this.#onOpened(path),
      onPathClosed: (path: IcePath<SimulatedSocket>) => this.#onClosed(path),
    }
    this.agent = host.agents.open({ sockets, remote, role, events }, host.network.nowMs)
  }

  #onOpened({ socket, remote }: IcePath<SimulatedSocket>): void {
    let ofSocket = this.host.paths.get(socket)
    if (!ofSocket) {
      ofSocket = new Map()
      this.host.paths.set(socket, ofSocket)
    }
    if (ofSocket.has(textOf(remote))) throw new Error(`${textOf(remote)} was opened twice`)
    ofSocket.set(textOf(remote), this)
    this.openPaths++
  }

  #onClosed({ socket, remote }: IcePath<SimulatedSocket>): void {
    const ofSocket = this.host.paths.get(socket)
    if (ofSocket?.get(textOf(remote)) !== this) throw new Error(`${textOf(remote)} was closed, but not open`)
    ofSocket.delete(textOf(remote))
    this.openPaths--
  }

  get isConnected(): boolean {
    return this.agent.state === 'connected'
  }

  /** The address that data goes to, or null. */
  get destination(): string | null {
    return this.agent.selected?.remote.address ?? null
  }

  sendData(text: string): void {
    const path = this.agent.selected
    if (path) this.host.network.send(Buffer.from([0x80, ...Buffer.from(text)]), path.socket, path.remote)
  }
}

/** A call from one host to another. @param roles of the two; both may believe the same */
export function connect(
  caller: SimulatedHost,
  called: SimulatedHost,
  roles: readonly [IceRole, IceRole] = ['controlling', 'controlled'],
): [SimulatedPeer, SimulatedPeer] {
  const offer = caller.foretell()
  const answering = called.open(offer, roles[1])
  return [caller.open(answering.agent.local, roles[0]), answering]
}

/** Expects that both sides have a path, and that data arrives both ways. */
export function expectTalk(network: SimulatedNetwork, peers: readonly SimulatedPeer[]): void {
  expect(peers.map(({ agent }) => agent.state)).toEqual(['connected', 'connected'])
  for (const [index, peer] of peers.entries()) {
    const other = peers[1 - index]!
    const count = other.received.length
    for (let i = 0; i < 20; i++) peer.sendData(`${i}`)
    network.run(1000)
    expect(other.received.length, `data that was sent to ${peer.destination}`).toBeGreaterThan(count)
  }
}

/** An ICE restart that the first side begins. The offer and the answer take no time. */
export function restart([caller, called]: [SimulatedPeer, SimulatedPeer]): void {
  const { nowMs } = caller.host.network
  const offer = caller.host.foretell()
  caller.agent.restart(called.agent.restart(offer, nowMs), nowMs)
}
