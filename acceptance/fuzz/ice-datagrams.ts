import fc from 'fast-check'
import { expect } from 'vitest'
import {
  BINDING_REQUEST,
  BINDING_SUCCESS,
  readStun,
  writeBindingError,
  writeBindingSuccess,
} from '../../server/src/media-worker/transport/ice/stun.ts'
import { type Place, ScriptedIcePeer } from '../../server/src/testing/transport/scripted-ice-peer.ts'
import { anyBytes, applied, type Change, change, type FuzzPlan, fuzz } from './fuzzing.ts'

const DATAGRAMS_TO_AN_AGENT = 100
/** More than an agent remembers. */
const MOST_PORTS = 200

interface Input {
  kind: 'check' | 'answer' | 'refusal' | 'noise'
  changes: Change[]
  noise: Buffer
  useCandidate: boolean
  isControlled: boolean
  tieBreaker: bigint
  port: number
  passesMs: number
}

const input: fc.Arbitrary<Input> = fc.record({
  kind: fc.constantFrom('check', 'check', 'check', 'answer', 'answer', 'refusal', 'noise'),
  changes: fc.oneof(fc.constant<Change[]>([]), fc.array(change, { minLength: 1, maxLength: 4 })),
  noise: anyBytes(120),
  useCandidate: fc.boolean(),
  isControlled: fc.nat(9).map((n) => n === 0),
  tieBreaker: fc.bigInt(0n, 2n ** 64n - 1n),
  port: fc.oneof(fc.nat(3), fc.nat(MOST_PORTS)),
  passesMs: fc.oneof(fc.constant(0), fc.nat(100), fc.nat(100), fc.nat(10_000)),
})

/** An agent whose peer signs what it sends, and then has it changed on the way. */
class Attacked {
  readonly #peer = new ScriptedIcePeer({ candidates: ['1 1 udp 9 198.51.100.1 1 typ host'] })
  #receivedBytes = 0
  #checks = 0

  constructor() {
    this.#peer.answering.add('198.51.100.1 1').add('198.51.100.1 2')
  }

  /** @returns what became of it */
  take(input: Input): string {
    const peer = this.#peer
    const original = this.#original(input)
    const datagram = input.changes.reduce(applied, original)
    const count = peer.sent.length
    if (input.kind === 'check' && datagram.equals(original)) this.#checks++
    this.#receivedBytes += datagram.length
    const place: Place = `198.51.100.1 ${input.port}`
    peer.receive(datagram, place)
    const outcome = peer.sent.length > count ? 'answered' : 'dropped'
    peer.run(input.passesMs)
    return outcome
  }

  #original({ kind, useCandidate, isControlled, tieBreaker, noise }: Input): Buffer {
    const peer = this.#peer
    if (kind === 'noise') return noise
    const role = isControlled ? 'controlled' : 'controlling'
    if (kind === 'check') return peer.check({ useCandidate, role, tieBreaker })
    const asked = peer.sent.findLast(({ datagram }) => readStun(datagram)?.type === BINDING_REQUEST)
    const id = asked?.datagram.subarray(8, 20) ?? Buffer.alloc(12)
    if (kind === 'refusal') return writeBindingError(id, 487, peer.remote.password)
    return writeBindingSuccess(id, '192.0.2.1', 4000, peer.remote.password)
  }

  /** @throws AssertionError where it answered what nobody signed, sent too much, or remembers too much */
  endWell(): void {
    const { sent, agents, agent, open } = this.#peer
    const answers = sent.filter(({ datagram }) => readStun(datagram)?.type === BINDING_SUCCESS)
    expect(answers.length).toBeLessThanOrEqual(this.#checks)
    expect(open.size).toBeLessThanOrEqual(40)
    expect(agents.size.transactions).toBeLessThanOrEqual(100)
    const sentBytes = sent.reduce((sum, { datagram }) => sum + datagram.length, 0)
    expect(sentBytes).toBeLessThan(4 * this.#receivedBytes + 10_000)
    agent.close()
    expect([agents.size, open.size]).toEqual([{ agents: 0, fragments: 0, transactions: 0 }, 0])
  }
}

/** Passes datagrams to ICE agents that are right, nearly right, or neither. No stranger gets an answer. */
export function fuzzIceDatagrams(plan: FuzzPlan): Promise<void> {
  return fuzz(plan, input, DATAGRAMS_TO_AN_AGENT, (group) => {
    const startedAt = performance.now()
    const attacked = new Attacked()
    for (const each of group) plan.tally.note(attacked.take(each))
    attacked.endWell()
    plan.tally.slowestMs = Math.max(plan.tally.slowestMs, (performance.now() - startedAt) / group.length)
  })
}
