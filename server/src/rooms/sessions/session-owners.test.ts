import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Cluster } from '../../cluster/cluster.ts'
import { natsNode } from '../../testing/nats-nodes.ts'
import { SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import { type TemporaryNats, temporaryNats } from '../../testing/temporary-nats.ts'
import type { SessionRegistry } from './session-registry.ts'

let nats: TemporaryNats
let world: SessionWorld
let nodes: [Cluster, Cluster]
let registries: [SessionRegistry, SessionRegistry]
let prefixes = 0

beforeAll(async () => {
  nats = await temporaryNats()
}, 30_000)
afterAll(() => nats.remove())

beforeEach(async () => {
  const prefix = `owners-${++prefixes}`
  world = await SessionWorld.open()
  nodes = await Promise.all([natsNode(nats.url, prefix, 'a'), natsNode(nats.url, prefix, 'b')])
  const [a, b] = nodes.map((cluster) => {
    world.cluster = cluster
    return world.newRegistry()
  })
  registries = [a as SessionRegistry, b as SessionRegistry]
})
afterEach(async () => {
  await Promise.all(registries.map((registry) => registry.stop()))
  await Promise.all(nodes.map((node) => node.stop()))
  await world.close()
})

/** Joins by one of the nodes. */
function joinAt(registry: SessionRegistry, name: string, room_name: string) {
  return registry.join({
    grant: world.grant({ room_name }),
    name,
    participant: new Witness(name),
    legId: crypto.randomUUID(),
    offer: 'offer',
    onAnswered: () => {},
  })
}

test('a room has one session, whichever nodes are joined at once', async () => {
  for (let race = 0; race < 20; race++) {
    const room = await world.addRoom({ name: `race-${race}` })
    const joined = await Promise.allSettled(
      registries.map((registry, at) => joinAt(registry, `person ${at}`, room.name)),
    )
    expect(joined.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(joined.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'unavailable' },
    })
    const { rows } = await world.storage.sessions.list(world.projectId, { roomName: room.name }, { limit: 9 })
    expect(rows).toHaveLength(1)
    expect(await registries[0].owners.ownerOf(room)).toBe(rows[0]?.owner_node)
    expect(await registries[1].owners.ownerOf(room)).toBe(rows[0]?.owner_node)
  }
})

test('an owner whose successor has written writes nothing more, and ends its session', async () => {
  const { session } = await joinAt(registries[0], 'Ada', 'standup')
  await session.writes.flushed()
  const stored = await world.storage.sessions.find(world.projectId, session.id)
  expect(stored).toMatchObject({ owner_node: 'a', status: 'in-progress' })
  const owner_revision = (stored?.owner_revision ?? 0) + 1
  const end = { end_time: 7, updated_at: 7, owner_revision }
  expect(await world.storage.sessions.complete(world.projectId, session.id, end)).toBe(true)
  expect(await world.storage.sessions.complete(world.projectId, session.id, end)).toBe(false)
  const before = await world.history(session)
  session.changes.changeRoom({ locked: true })
  await vi.waitFor(() => expect(session.isEnded).toBe(true))
  await session.writes.flushed()
  expect(await world.history(session)).toEqual(before)
  expect(before.record).toMatchObject({ end_time: 7, status: 'completed', locked: false })
})

test('a node that is cut off lets go, and another one begins the room anew', {
  timeout: 30_000,
}, async () => {
  const [a, b] = registries
  const { session } = await joinAt(a, 'Ada', 'standup')
  nats.pause()
  try {
    await vi.waitFor(() => expect(session.isEnded).toBe(true), 15_000)
  } finally {
    nats.resume()
  }
  await session.writes.flushed()
  const { record, events } = await world.history(session)
  expect(record?.status).toBe('completed')
  expect(events.at(-1)).toMatchObject({ name: 'room.ended', payload: { reason: 'ownership_lost' } })
  const next = await vi.waitFor(() => joinAt(b, 'Ada', 'standup'), { timeout: 15_000, interval: 250 })
  expect(next.session.id).not.toBe(session.id)
})

test('what a lost node left is completed before its room begins again', { timeout: 30_000 }, async () => {
  const [a, b] = registries
  const { session } = await joinAt(a, 'Ada', 'standup')
  await session.writes.flushed()
  // The node has left the cluster, and its session knows nothing of that.
  await nodes[0].stop()
  const next = await vi.waitFor(() => joinAt(b, 'Bob', 'standup'), { timeout: 15_000, interval: 250 })
  const { record, events } = await world.history(session)
  expect(record?.status).toBe('completed')
  expect(events.filter(({ name }) => name === 'room.ended')).toMatchObject([
    { payload: { reason: 'server_interrupted', node: 'a' } },
  ])
  expect(await world.storage.sessions.find(world.projectId, next.session.id)).toMatchObject({
    owner_node: 'b',
    status: 'in-progress',
  })
})
