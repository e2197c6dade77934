import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { natsNode } from '../testing/nats-nodes.ts'
import { type TemporaryNats, temporaryNats } from '../testing/temporary-nats.ts'
import { Chat } from './chat.ts'
import { CHAT_EVENT_TYPES, type ChatClient, type ChatEvent } from './chat-client.ts'

let nats: TemporaryNats
let clusters: Cluster[]
let left: Chat
let right: Chat
let channels = 0
let channel: string

beforeAll(async () => {
  nats = await temporaryNats()
  clusters = await Promise.all(['left', 'right'].map((name) => natsNode(nats.url, 'chat', name)))
  const eachKnowsTheOther = () => expect(clusters.map(({ nodes }) => nodes.others.length)).toEqual([1, 1])
  await vi.waitFor(eachKnowsTheOther, 5000)
  const chatOf = (index: number) =>
    new Chat({
      cluster: clusters[index]!,
      clock: systemClock,
      sessions: { isIn: () => true },
      storage: { chatMessages: { insert: async () => {} } as never },
    })
  left = chatOf(0)
  right = chatOf(1)
}, 30_000)
afterAll(async () => {
  await Promise.all(clusters.map((cluster) => cluster.stop()))
  await nats.remove()
})
beforeEach(() => {
  // Any characters, as a project may choose them.
  channel = `Löbby > * ${++channels}`
})

function person(memberId: string, projectId = 'p') {
  const told: string[] = []
  const client: ChatClient = {
    grant: {
      id: memberId,
      project_id: projectId,
      kind: 'chat',
      member_id: memberId,
      channels: new Map([[channel, { read: true, write: true }]]),
      state: { name: memberId },
      seat: null,
      issued_at: 0,
      expires_at: 9e12,
    },
    notify: (event: ChatEvent) =>
      told.push(
        event.type === 'message' ? `message ${event.message.content}` : `${event.type} ${event.member.id}`,
      ),
  }
  return { client, told }
}

it('is one channel on all nodes: members, states and messages', async () => {
  const [ada, bob, eve] = [person('ada'), person('bob'), person('eve', 'another project')]
  await left.subscribe(ada.client, [channel], CHAT_EVENT_TYPES)
  await left.subscribe(eve.client, [channel], CHAT_EVENT_TYPES)
  await right.subscribe(bob.client, [channel], CHAT_EVENT_TYPES)
  await expect.poll(() => ada.told).toEqual(['member.joined ada', 'member.joined bob'])
  expect((await right.members(bob.client, channel)).map(({ id }) => id).sort()).toEqual(['ada', 'bob'])

  for (const text of ['one', 'two', 'three']) await right.publish(bob.client, channel, text, {})
  await expect.poll(() => ada.told.slice(2)).toEqual(['message one', 'message two', 'message three'])
  await left.publish(ada.client, channel, 'back', {})
  await expect.poll(() => bob.told).toContain('message back')

  await left.setState(ada.client, 'bob', [channel], { mood: 'good' })
  await expect.poll(() => bob.told).toContain('member.updated bob')
  expect((await right.states(bob.client, 'bob', [channel])).get(channel)).toEqual({ mood: 'good' })

  right.disconnected(bob.client)
  await expect.poll(() => ada.told.at(-1)).toBe('member.left bob')
  expect(eve.told).toEqual(['member.joined eve'])
})

it('tells of a member with two clients once', async () => {
  const [ada, again, bob] = [person('ada'), person('ada'), person('bob')]
  await right.subscribe(bob.client, [channel], CHAT_EVENT_TYPES)
  await left.subscribe(ada.client, [channel], CHAT_EVENT_TYPES)
  await right.subscribe(again.client, [channel], CHAT_EVENT_TYPES)
  left.disconnected(ada.client)
  await left.publish(ada.client, channel, 'on my way', {})
  await expect.poll(() => bob.told.at(-1)).toBe('message on my way')
  expect(bob.told.filter((line) => line.endsWith('ada'))).toEqual(['member.joined ada'])
  right.disconnected(again.client)
  expect(bob.told.at(-1)).toBe('member.left ada')
})

it('knows who is in for whoever is not in on that node', async () => {
  const [ada, bob] = [person('ada'), person('bob')]
  const before = right.channelCount
  await left.subscribe(ada.client, [channel], CHAT_EVENT_TYPES)
  expect((await right.members(bob.client, channel)).map(({ id }) => id)).toEqual(['ada'])
  await right.setState(bob.client, 'ada', [channel], { seen: true })
  await expect.poll(() => ada.told).toContain('member.updated ada')
  const noSuchMember = right.setState(bob.client, 'nobody', [channel], {})
  await expect(noSuchMember).rejects.toMatchObject({ code: 'provided_id_is_unrecognized' })
  expect(right.channelCount).toBe(before)
})

it('does without the others while NATS is away, and catches up', async () => {
  const [ada, bob, eve] = [person('ada'), person('bob'), person('eve')]
  await left.subscribe(ada.client, [channel], CHAT_EVENT_TYPES)
  await right.subscribe(bob.client, [channel], CHAT_EVENT_TYPES)
  await expect.poll(() => ada.told).toContain('member.joined bob')
  await nats.kill()
  await expect.poll(() => clusters.every(({ isConnected }) => !isConnected)).toBe(true)
  await right.subscribe(eve.client, [channel], CHAT_EVENT_TYPES)
  right.disconnected(bob.client)
  await right.publish(eve.client, channel, 'alone', {})
  expect(eve.told).toContain('message alone')
  await nats.start()
  await expect
    .poll(async () => (await left.members(ada.client, channel)).map(({ id }) => id), { timeout: 10_000 })
    .toEqual(['ada', 'eve'])
  expect(ada.told.slice(-2).sort()).toEqual(['member.joined eve', 'member.left bob'])
}, 30_000)
