import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { natsNode } from '../../testing/nats-nodes.ts'
import { type TemporaryNats, temporaryNats } from '../../testing/temporary-nats.ts'
import { timePasses } from '../../testing/time-passes.ts'
import { type Cluster, NodeUnreachable } from '../cluster.ts'

let nats: TemporaryNats
const open = new Set<Cluster>()
let prefixes = 0

beforeAll(async () => {
  nats = await temporaryNats()
}, 30_000)

afterEach(async () => {
  await Promise.all([...open].map((cluster) => cluster.stop()))
  open.clear()
})

afterAll(() => nats.remove())

async function node(name: string, prefix: string): Promise<Cluster> {
  const cluster = await natsNode(nats.url, prefix, name)
  open.add(cluster)
  return cluster
}

/** Nodes that know each other. */
async function nodes(...names: string[]): Promise<Cluster[]> {
  const prefix = `test-${++prefixes}`
  const members = await Promise.all(names.map((name) => node(name, prefix)))
  await expect
    .poll(() => members.map(({ nodes }) => nodes.others.length), { timeout: 5000 })
    .toEqual(members.map(() => names.length - 1))
  return members
}

it('lets one node alone have a key, whoever asks', { timeout: 30_000 }, async () => {
  const members = await nodes('a', 'b', 'c')
  for (let race = 0; race < 100; race++) {
    const claims = await Promise.all(members.map(({ claims }) => claims.claim(`room.${race}`)))
    const winners = new Set(claims.map(({ node }) => node))
    expect(winners.size).toBe(1)
    const holders = members.filter(({ claims }) => claims.held(`room.${race}`))
    expect(holders.map(({ nodes }) => nodes.self.name)).toEqual([...winners])
  }
})

it('passes a key on with a higher revision', async () => {
  const [a, b] = (await nodes('a', 'b')) as [Cluster, Cluster]
  const first = await a.claims.claim('k')
  expect(await b.claims.claim('k')).toMatchObject({ node: 'a' })
  await a.claims.release('k')
  expect(await a.claims.find('k')).toBeNull()
  const second = await b.claims.claim('k')
  expect(second.node).toBe('b')
  expect(second.revision).toBeGreaterThan(first.revision)
  await b.claims.release('k')
})

it('passes keys on at once that are released while they are renewed', { timeout: 30_000 }, async () => {
  const [a, b] = (await nodes('a', 'b')) as [Cluster, Cluster]
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}`)
  await Promise.all(keys.map((key) => a.claims.claim(key)))
  nats.pause()
  await timePasses(1500, 'the renewals are on their way')
  const released = Promise.all(keys.map((key) => a.claims.release(key)))
  nats.resume()
  await released
  const claims = await Promise.all(keys.map((key) => b.claims.claim(key)))
  expect(claims.map(({ node }) => node)).toEqual(keys.map(() => 'b'))
})

it('tells a node that its key is lost before another one can have it', { timeout: 30_000 }, async () => {
  const [a, b] = (await nodes('a', 'b')) as [Cluster, Cluster]
  const first = await a.claims.claim('k')
  const lost = new Promise<string>((resolve) => a.claims.onLost((key) => key === 'k' && resolve(key)))
  nats.pause()
  try {
    await lost
    expect(a.claims.held('k')).toBeUndefined()
  } finally {
    nats.resume()
  }
  await expect.poll(() => b.claims.claim('k'), { timeout: 15_000 }).toMatchObject({ node: 'b' })
  expect(b.claims.held('k')?.revision).toBeGreaterThan(first.revision)
})

it('keeps its claims while NATS is killed and starts again', { timeout: 30_000 }, async () => {
  const [a, b] = (await nodes('a', 'b')) as [Cluster, Cluster]
  const claim = await a.claims.claim('k')
  const gap = new Promise<void>((resolve) => b.messages.onGap(resolve))
  await nats.kill()
  await nats.start()
  await gap
  await expect
    .poll(() => b.claims.find('k').catch(() => null), { timeout: 5000 })
    .toMatchObject({ node: 'a' })
  expect(a.claims.held('k')).toEqual(claim)
  const heard = new Promise((resolve) => b.messages.subscribe('news', resolve))
  // The subscription is made again with the connection, and a message before that is lost.
  const said = () => {
    a.messages.publish('news', 1)
    return Promise.race([heard, null])
  }
  await expect.poll(said, { timeout: 5000 }).toBe(1)
})

it('carries messages to all others, and requests to one', async () => {
  const [a, b, c] = (await nodes('a', 'b', 'c')) as [Cluster, Cluster, Cluster]
  const got: unknown[] = []
  for (const { messages, nodes } of [a, b, c]) {
    messages.subscribe('chat.said', (message, from) => got.push([nodes.self.name, from, message]))
  }
  b.messages.serve('double', async (message) => Number(message) * 2)
  b.messages.serve('refuse', async () => {
    throw new Refusal('session_ended')
  })
  expect(await a.messages.request('b', 'double', 21, 1000)).toBe(42)
  await expect(a.messages.request('b', 'refuse', null, 1000)).rejects.toMatchObject({ code: 'session_ended' })
  await expect(a.messages.request('b', 'unknown', null, 1000)).rejects.toThrow()
  await expect(a.messages.request('nobody', 'double', 1, 1000)).rejects.toThrow(NodeUnreachable)
  a.messages.publish('chat.said', { text: 'é' })
  await expect.poll(() => got.length).toBe(2)
  expect(got).toContainEqual(['b', 'a', { text: 'é' }])
  expect(got).toContainEqual(['c', 'a', { text: 'é' }])
})

it('notices at once that a node has stopped, and refuses a name that is taken', {
  timeout: 30_000,
}, async () => {
  const prefix = `test-${prefixes + 1}`
  const [a, b] = (await nodes('a', 'b')) as [Cluster, Cluster]
  const gone = new Promise((resolve) => a.nodes.onGone(({ name }) => resolve(name)))
  await b.claims.claim('k')
  open.delete(b)
  await b.stop()
  expect(await gone).toBe('b')
  expect(await a.claims.claim('k')).toMatchObject({ node: 'a' })
  await expect(node('a', prefix)).rejects.toThrow('another node is named a')
})
