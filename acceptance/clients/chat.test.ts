import { expect, test } from 'vitest'
import type { Participant } from '../harness/participant.ts'
import { RED, useDeployment } from '../harness/use-deployment.ts'
import type { ChatPage, HeardInChat } from '../page/chat.ts'

const deployment = useDeployment({ name: 'chat' })

/** A page with clients of the chat in it. */
async function openPage(): Promise<{ participant: Participant } & ChatPages> {
  const participant = await deployment.open(RED)
  const { page } = participant
  await page.addScriptTag({ type: 'module', url: '/page/chat.ts' })
  await page.waitForFunction(() => 'chat' in window)
  const ask = <T>(operation: keyof ChatPage, ...args: unknown[]) =>
    page.evaluate(
      ([name, list]) => {
        const { chat } = window as unknown as { chat: Record<string, (...rest: unknown[]) => unknown> }
        return chat[name]?.(...list)
      },
      [operation as string, args] as const,
    ) as Promise<T>
  return {
    participant,
    open: (name, token, kind = 'Chat') => ask('open', name, kind, token),
    call: (name, method, parameters) => ask('call', name, method, parameters),
    heard: (name) => ask('heard', name),
    messagesTo: async (name) =>
      (await ask<HeardInChat[]>('heard', name)).filter(({ event }) => event === 'message'),
  }
}

interface ChatPages {
  open(name: string, token: string, kind?: 'Chat' | 'PubSub'): Promise<void>
  call(name: string, method: string, parameters?: unknown): Promise<unknown>
  heard(name: string): Promise<HeardInChat[]>
  messagesTo(name: string): Promise<HeardInChat[]>
}

async function tokenFor(member_id: string, channels: object, family = 'chat'): Promise<string> {
  const answer = await deployment.rest.send<{ token: string }>('POST', `/api/${family}/tokens`, {
    ttl: 5,
    member_id,
    channels,
  })
  expect(answer.status).toBe(200)
  return answer.body.token
}

const channel = 'standup'
const all = { [channel]: { read: true, write: true } }

test('two clients write to each other, see who is there, and read it again', async () => {
  const page = await openPage()
  await page.open('ada', await tokenFor('ada', all))
  await page.open('bob', await tokenFor('bob', all))
  for (const name of ['ada', 'bob']) expect(await page.call(name, 'subscribe', channel)).toBeNull()
  const startedAt = Date.now()
  expect(await page.call('bob', 'publish', { channel, content: 'Hello Ada', meta: { a: 1 } })).toBeNull()
  await expect
    .poll(() => page.messagesTo('ada'))
    .toMatchObject([{ channel, content: 'Hello Ada', member: 'bob' }])
  const [message] = await page.messagesTo('ada')
  expect(Math.abs((message?.publishedAtMs ?? 0) - startedAt)).toBeLessThan(60_000)
  expect(await page.heard('ada')).toContainEqual({ event: 'member.joined', channel, member: 'bob' })

  expect(await page.call('ada', 'getMessages', { channel })).toMatchObject({
    messages: [{ content: 'Hello Ada', meta: { a: 1 }, member: { id: 'bob' } }],
    cursor: { after: null, before: null },
  })
  expect(await page.call('ada', 'getMembers', { channel })).toMatchObject({
    members: [{ id: 'ada' }, { id: 'bob' }],
  })
  expect(await page.call('bob', 'getAllowedChannels')).toEqual(all)
  await page.call('bob', 'setMemberState', { channels: [channel], state: { typing: true } })
  await expect
    .poll(() => page.heard('ada'))
    .toContainEqual({ event: 'member.updated', channel, member: 'bob' })
  expect(await page.call('ada', 'getMemberState', { memberId: 'bob', channels: [channel] })).toEqual({
    channels: { [channel]: { state: { typing: true } } },
  })

  // The client does not subscribe again when its socket was away: the server must not have forgotten.
  await page.participant.ask('closeSockets')
  await expect
    .poll(
      async () => {
        await page.call('bob', 'publish', { channel, content: 'again' })
        return (await page.messagesTo('ada')).some(({ content }) => content === 'again')
      },
      { timeout: 20_000, interval: 500 },
    )
    .toBe(true)

  await page.call('bob', 'unsubscribe', channel)
  await expect.poll(() => page.heard('ada')).toContainEqual({ event: 'member.left', channel, member: 'bob' })
})

test('a token says who may do what, and a new one changes it', async () => {
  const page = await openPage()
  await page.open('reader', await tokenFor('reader', { [channel]: { read: true } }))
  expect(await page.call('reader', 'subscribe', channel)).toBeNull()
  expect(await page.call('reader', 'publish', { channel, content: 'x' })).toMatchObject({
    rejected: { code: '403' },
  })
  await page.call('reader', 'updateToken', await tokenFor('reader', all))
  expect(await page.call('reader', 'getAllowedChannels')).toEqual(all)
  expect(await page.call('reader', 'publish', { channel, content: 'now' })).toBeNull()
  await expect.poll(() => page.messagesTo('reader')).toMatchObject([{ content: 'now' }])
})

test('clients that only publish and subscribe get the same messages', async () => {
  const page = await openPage()
  await page.open('sub', await tokenFor('sub', all, 'pubsub'), 'PubSub')
  await page.open('pub', await tokenFor('pub', all, 'pubsub'), 'PubSub')
  await page.call('sub', 'subscribe', [channel])
  await page.call('pub', 'publish', { channel, content: { some: ['json', 1] } })
  await expect.poll(() => page.messagesTo('sub')).toMatchObject([{ channel, content: { some: ['json', 1] } }])
})

test('what is written in a conference is listed as its messages', async () => {
  const page = await openPage()
  const { rest } = deployment
  const created = await rest.send<{ id: string; name: string }>('POST', '/conferences', {
    display_name: 'Chat',
  })
  await page.participant.join(await rest.createRoomToken({ room_name: created.body.name, user_name: 'Red' }))
  const request = { method: 'video.get_chat_token', params: {} }
  const given = await page.participant.call<{ token: string; channel: string }>('execute', request)
  await page.open('member', given.token)
  await page.call('member', 'subscribe', given.channel)
  await page.call('member', 'publish', { channel: given.channel, content: 'Hello all' })
  await expect.poll(() => page.messagesTo('member')).toMatchObject([{ content: 'Hello all' }])
  const messages = await rest.send<{ data: object[] }>('GET', '/api/messaging/messages')
  expect(messages.body.data[0]).toMatchObject({ body: 'Hello all', from: 'Red', to: created.body.name })
  const calls = await rest.send<{ calls: object[] }>(
    'GET',
    `/api/laml/2010-04-01/Accounts/${deployment.access.projectId}/Calls.json`,
  )
  expect(calls.body.calls[0]).toMatchObject({ status: 'in-progress', from: 'Red', to: created.body.name })
})
