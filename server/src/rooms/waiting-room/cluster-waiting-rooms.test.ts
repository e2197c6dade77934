import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { systemClock } from '../../clock.ts'
import type { Cluster } from '../../cluster/cluster.ts'
import { natsNode } from '../../testing/nats-nodes.ts'
import { type TemporaryNats, temporaryNats } from '../../testing/temporary-nats.ts'
import { ClusterWaitingRooms } from './cluster-waiting-rooms.ts'
import { isGoodPass } from './waiting-pass.ts'
import { MOST_KNOCKS, WaitingRooms } from './waiting-rooms.ts'

const key = randomBytes(64)
let nats: TemporaryNats
let clusters: Cluster[]
let nodes: ClusterWaitingRooms[]

beforeAll(async () => {
  nats = await temporaryNats()
  clusters = await Promise.all(['a', 'b', 'c'].map((name) => natsNode(nats.url, 'waiting', name)))
  const eachKnowsAll = () => expect(clusters.map(({ nodes }) => nodes.others.length)).toEqual([2, 2, 2])
  await vi.waitFor(eachKnowsAll, 5000)
  nodes = clusters.map(
    (cluster) => new ClusterWaitingRooms(new WaitingRooms({ clock: systemClock, key }), cluster),
  )
}, 30_000)
afterAll(async () => {
  for (const node of nodes) node.stop()
  await Promise.all(clusters.map((cluster) => cluster.stop()))
  await nats.remove()
})

const holder = (room_name: string) => ({ id: 'token', project_id: 'p', room_name })
const node = (index: number) => nodes[index % 3]!

it('shows who knocks on one node to a moderator on another, and tells the answer on a third', async () => {
  for (let room = 0; room < 20; room++) {
    const ada = holder(`room ${room}`)
    const first = await node(room + 1).knock(ada, 'Bob')
    const { version } = await node(room).list(ada, 0)
    const seen = node(room).list(ada, version)
    const id = await node(room + 1).knock(ada, 'Ada')
    expect((await seen).knocks).toMatchObject([{ id: first }, { id, name: 'Ada' }])
    const answer = node(room + 2).answerTo(ada, id)
    await node(room).decide(ada, id, true)
    const state = await answer
    expect(state?.state === 'let-in' && isGoodPass(state.pass, ada, key, Date.now())).toBe(true)
    await expect(node(room + 1).decide(ada, id, false)).rejects.toMatchObject({
      code: 'provided_id_is_unrecognized',
    })
  }
})

it('limits who waits, and forgets who leaves, whichever nodes they reach', async () => {
  const crowd = holder('crowd')
  const ids = await Promise.all(
    Array.from({ length: MOST_KNOCKS }, (_, index) => node(index).knock(crowd, `Person ${index}`)),
  )
  await expect(node(1).knock(crowd, 'One more')).rejects.toMatchObject({ code: 'seats_taken' })
  await Promise.all(ids.map((id, index) => node(index + 1).leave(crowd, id)))
  expect((await node(2).list(crowd, 0)).knocks).toEqual([])
  expect(await node(0).answerTo(crowd, ids[0] ?? '')).toBeUndefined()
})
