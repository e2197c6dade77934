import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Clock, systemClock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { natsNode } from '../testing/nats-nodes.ts'
import { type TemporaryNats, temporaryNats } from '../testing/temporary-nats.ts'
import { CountExchange, SharedCounter } from './count-exchange.ts'
import { FailedSignIns, TooManyFailedSignIns } from './failed-sign-ins.ts'
import { LimitLog } from './limit-log.ts'

let nats: TemporaryNats
let clusters: Cluster[]
let nowMs = 0
/** Both nodes have the same minute, however long the test takes. */
const clock: Clock = { ...systemClock, now: () => nowMs }

beforeAll(async () => {
  nats = await temporaryNats()
  clusters = await Promise.all(['a', 'b'].map((name) => natsNode(nats.url, 'limits', name)))
  const eachKnowsTheOther = () => expect(clusters.map(({ nodes }) => nodes.others.length)).toEqual([1, 1])
  await vi.waitFor(eachKnowsTheOther, 5000)
}, 30_000)
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.stop()))
  await nats.remove()
})

const exchanges = () => clusters.map((cluster) => new CountExchange(cluster, clock))

it('counts what all nodes see, in the same minute', async () => {
  nowMs = 59_000
  const made = exchanges()
  const [a, b] = made.map((exchange) => new SharedCounter(exchange, 'requests'))
  for (let count = 1; count <= 1000; count++) a?.count(`project ${count % 10}`)
  await expect.poll(() => b?.count('project 3')).toBeGreaterThan(100)
  expect(b?.count('other')).toBe(1)
  expect(b?.secondsLeft()).toBe(1)
  nowMs = 60_000
  expect(b?.count('project 3')).toBe(1)
  expect(b?.secondsLeft()).toBe(60)
  for (const exchange of made) exchange.stop()
})

it('forgets none of many keys', async () => {
  const made = exchanges()
  const [a, b] = made.map((exchange) => new SharedCounter(exchange, 'addresses'))
  for (let count = 0; count < 5000; count++) a?.count(`address ${count}`)
  let own = 0
  await expect.poll(() => (b?.count('address 4999') ?? 0) - ++own, { timeout: 5000 }).toBe(1)
  expect(b?.count('address 0')).toBe(2)
  for (const exchange of made) exchange.stop()
})

it('counts wrong credentials of an address over all nodes', async () => {
  const made = exchanges()
  const log = new LimitLog({ warn: () => {} })
  const [a, b] = made.map((exchange) => new FailedSignIns(3, log, exchange))
  for (let count = 0; count < 3; count++) a?.countWrong('192.0.2.1')
  await a?.lookUp('192.0.2.2', 'good', async () => 'Ada')
  await expect.poll(() => refuses(b, '192.0.2.1')).toBe(true)
  expect(refuses(b, '192.0.2.2')).toBe(false)
  for (const exchange of made) exchange.stop()
})

function refuses(signIns: FailedSignIns | undefined, address: string): boolean {
  try {
    signIns?.countWrong(address)
    return false
  } catch (error) {
    return error instanceof TooManyFailedSignIns
  }
}
