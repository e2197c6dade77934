import { expect, test } from 'vitest'
import { Channel } from './channel.ts'
import { CHAT_EVENT_TYPES, type ChatClient, type ChatEvent } from './chat-client.ts'

function listener(memberId: string) {
  const heard: ChatEvent[] = []
  const grant = {
    id: memberId,
    project_id: 'project',
    kind: 'chat' as const,
    member_id: memberId,
    channels: new Map(),
    state: {},
    seat: null,
    issued_at: 0,
    expires_at: 9e12,
  }
  const client: ChatClient = { grant, notify: (event) => heard.push(event) }
  return {
    client,
    heard,
    contents: () => heard.flatMap((e) => (e.type === 'message' ? [e.message.content] : [])),
  }
}

const message = (content: string) => () => ({
  type: 'message' as const,
  channel: 'lobby',
  message: {
    id: content,
    channel: 'lobby',
    content,
    meta: {},
    publishedAt: 1,
    member: { id: 'ada', channel: 'lobby', state: {} },
  },
})

test('delivers in the order of writing, however long storing takes, and not what could not be stored', async () => {
  const channel = new Channel('lobby', { isAdmitted: () => true })
  const { client, contents } = listener('ada')
  channel.subscribe(client, CHAT_EVENT_TYPES, {})
  const [slow, failing, fast] = [1, 2, 3].map(() => Promise.withResolvers<void>())
  const first = channel.deliver(slow!.promise, message('slow'))
  const second = channel.deliver(failing!.promise, message('failing'))
  const third = channel.deliver(fast!.promise, message('fast'))
  channel.leave(client)
  channel.subscribe(client, CHAT_EVENT_TYPES, {})
  // The second message fails before its turn comes.
  failing!.reject(new Error('disk full'))
  fast!.resolve()
  await new Promise((resolve) => setImmediate(resolve))
  expect(contents()).toEqual([])
  expect(channel.isIdle).toBe(false)
  slow!.resolve()
  await expect(second).rejects.toThrow('disk full')
  await Promise.all([first, third])
  expect(contents()).toEqual(['slow', 'fast'])
  channel.leave(client)
  expect(channel.isIdle).toBe(true)
})

test('tells nothing to who may not hear it any more, and does not show it', () => {
  const [ada, bob] = [listener('ada'), listener('bob')]
  const gone = new Set<ChatClient>()
  const channel = new Channel('lobby', { isAdmitted: (client) => !gone.has(client) })
  for (const { client } of [ada, bob]) channel.subscribe(client, CHAT_EVENT_TYPES, {})
  gone.add(bob.client)
  bob.heard.length = 0
  channel.setState('ada', { mood: 'secret' })
  expect(bob.heard).toEqual([])
  expect(channel.members.map(({ id }) => id)).toEqual(['ada'])
})
