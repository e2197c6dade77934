import fc from 'fast-check'
import { expect } from 'vitest'
import type { IceRole } from '../../server/src/media-worker/transport/ice/agent/ice-types.ts'
import type { TransportAddress } from '../../server/src/media-worker/transport/ice/agent/transport-address.ts'
import {
  connect,
  expectTalk,
  restart,
  type SimulatedHost,
  type SimulatedNat,
  SimulatedNetwork,
  type SimulatedPeer,
} from '../../server/src/testing/transport/simulated-network.ts'
import { applied, type Change, change, type FuzzPlan, fuzz } from './fuzzing.ts'

const EVENTS_IN_A_WORLD = 50
/** What a stranger who listens may send again, changed or not. */
const MOST_OVERHEARD = 200
const OURS = ['192.0.2.1', '192.0.2.2', '2001:db8::1']
/** Nobody has a socket there. */
const FORGED_PORT = 7
const ROLES: IceRole[] = ['controlling', 'controlled']

const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(20_000) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const), call: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('redial' as const), call: fc.nat(2), roles: fc.nat(3) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('block' as const), from: fc.nat(6), to: fc.nat(6) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unblock' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('router restarts' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stand still' as const), ms: fc.nat(60_000) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('quality' as const),
      loss: fc.constantFrom(0, 0, 0.05, 0.3, 0.9),
      repeated: fc.constantFrom(0, 0.5),
      delayMs: fc.constantFrom(0, 20, 300, 1500),
      jitterMs: fc.constantFrom(0, 5, 500),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('forge' as const),
      which: fc.nat(MOST_OVERHEARD),
      from: fc.nat(9),
      changes: fc.array(change, { maxLength: 2 }),
    }),
  },
)
type Event = typeof event extends fc.Arbitrary<infer T> ? T : never

/** A server with three calls: from behind two kinds of NAT, and from a machine with addresses of its own. */
class World {
  readonly network: SimulatedNetwork
  readonly #server: SimulatedHost
  readonly #callers: SimulatedHost[]
  readonly #nats: SimulatedNat[]
  readonly #calls: [SimulatedPeer, SimulatedPeer][]
  readonly #addresses: string[]
  readonly #blocked = new Set<string>()
  readonly #overheard: { datagram: Buffer; from: TransportAddress; to: TransportAddress }[] = []

  constructor(seed: number) {
    this.network = new SimulatedNetwork(seed)
    this.network.passes = (from, to) => !this.#blocked.has(`${from} ${to}`)
    this.network.onDatagram = (datagram, from, to) => this.#overhear(datagram, from, to)
    this.#nats = [this.network.nat('198.51.100.1', false), this.network.nat('198.51.100.2', true)]
    this.#server = this.network.host(OURS)
    this.#callers = [
      this.network.host(['10.0.0.1', '10.0.0.2'], this.#nats[0]),
      this.network.host(['10.0.0.1'], this.#nats[1]),
      this.network.host(['203.0.113.1', '2001:db8::9']),
    ]
    this.#addresses = [...OURS, '198.51.100.1', '198.51.100.2', '203.0.113.1', '2001:db8::9']
    this.#calls = this.#callers.map((caller) => connect(caller, this.#server))
  }

  #overhear(datagram: Buffer, from: TransportAddress, to: TransportAddress): void {
    if (this.#overheard.length < MOST_OVERHEARD) this.#overheard.push({ datagram, from, to })
    else this.#overheard[Math.floor(this.network.random() * MOST_OVERHEARD)] = { datagram, from, to }
  }

  apply(event: Event): void {
    const { network } = this
    if (event.kind === 'pass') network.run(event.ms)
    else if (event.kind === 'restart') restart(this.#calls[event.call]!)
    else if (event.kind === 'redial') this.#redial(event.call, event.roles)
    else if (event.kind === 'block') this.#block(event.from, event.to)
    else if (event.kind === 'unblock') this.#blocked.clear()
    else if (event.kind === 'router restarts') for (const nat of this.#nats) nat.restart()
    else if (event.kind === 'stand still') network.nowMs += event.ms
    else if (event.kind === 'quality') Object.assign(network, event)
    else this.#forge(event.which, event.from, event.changes)
  }

  #redial(index: number, roles: number): void {
    for (const { agent } of this.#calls[index]!) agent.close()
    this.#calls[index] = connect(this.#callers[index]!, this.#server, [ROLES[roles & 1]!, ROLES[roles >> 1]!])
  }

  #block(from: number, to: number): void {
    const [a, b] = [
      this.#addresses[from % this.#addresses.length],
      this.#addresses[to % this.#addresses.length],
    ]
    this.#blocked.add(`${a} ${b}`)
  }

  /** Somebody on the way sends what he heard, as it was or changed, from where it came or from elsewhere. */
  #forge(which: number, from: number, changes: Change[]): void {
    const heard = this.#overheard[which % Math.max(this.#overheard.length, 1)]
    if (!heard) return
    const address = this.#addresses[from]
    const source = address ? { address, port: FORGED_PORT } : heard.from
    this.network.inject(changes.reduce(applied, heard.datagram), source, heard.to)
  }

  #wrongPaths() {
    const paths = this.#calls.flat().flatMap(({ selections }) => selections)
    return paths.filter((path) => path?.remote.port === FORGED_PORT)
  }

  /**
   * The network is good again. Whoever failed meanwhile restarts, as a browser does.
   * @throws AssertionError where a call does not come back, or where more is remembered than the calls need
   */
  endWell(): void {
    const { network } = this
    this.#blocked.clear()
    Object.assign(network, { loss: 0, repeated: 0, delayMs: 20, jitterMs: 5 })
    network.run(45_000)
    for (const call of this.#calls) if (call.some(({ agent }) => agent.state === 'failed')) restart(call)
    network.run(15_000)
    for (const call of this.#calls) expectTalk(network, call)
    // A restart that failed, while the old path lived, leaves two sessions. The next one does not.
    for (const call of this.#calls) restart(call)
    network.run(10_000)
    for (const call of this.#calls) expectTalk(network, call)
    expect(this.#wrongPaths(), 'paths to where nobody is').toEqual([])
    expect(this.#server.agents.size).toMatchObject({ agents: 3, fragments: 3 })
    for (const { agent } of this.#calls.flat()) agent.close()
    for (const { agents, paths } of network.hosts) {
      expect(agents.size).toEqual({ agents: 0, fragments: 0, transactions: 0 })
      expect([...paths.values()].map(({ size }) => size).filter((size) => size > 0)).toEqual([])
    }
  }
}

/** Lets ICE agents live through what happens to networks, and what strangers do, in virtual time. They all end connected. */
export function fuzzIceNetworks(plan: FuzzPlan): Promise<void> {
  let worlds = 0
  return fuzz(plan, event, EVENTS_IN_A_WORLD, (group) => {
    const startedAt = performance.now()
    const world = new World(plan.seed + worlds++)
    for (const each of group) {
      world.apply(each)
      plan.tally.note(each.kind)
    }
    world.endWell()
    plan.tally.slowestMs = Math.max(plan.tally.slowestMs, (performance.now() - startedAt) / group.length)
  })
}
