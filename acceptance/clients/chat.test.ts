import { expect, test } from 'vitest'
import { enterConferenceChat, openChat } from '../testing/chat-clients.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'

const deployment = useDeployment({ name: 'chat' })

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
  const page = await openChat(await deployment.open(RED))
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

  // After its socket was away, the client does not subscribe again. So the server must keep the subscription.
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
  const page = await openChat(await deployment.open(RED))
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
  const page = await openChat(await deployment.open(RED))
  await page.open('sub', await tokenFor('sub', all, 'pubsub'), 'PubSub')
  await page.open('pub', await tokenFor('pub', all, 'pubsub'), 'PubSub')
  await page.call('sub', 'subscribe', [channel])
  await page.call('pub', 'publish', { channel, content: { some: ['json', 1] } })
  await expect.poll(() => page.messagesTo('sub')).toMatchObject([{ channel, content: { some: ['json', 1] } }])
})

test('what is written in a conference is listed as its messages', async () => {
  const page = await openChat(await deployment.open(RED))
  const { rest } = deployment
  const created = await rest.send<{ id: string; name: string }>('POST', '/conferences', {
    display_name: 'Chat',
  })
  await page.participant.join(await rest.createRoomToken({ room_name: created.body.name, user_name: 'Red' }))
  const own = await enterConferenceChat(page, 'member')
  await page.call('member', 'publish', { channel: own, content: 'Hello all' })
  await expect.poll(() => page.messagesTo('member')).toMatchObject([{ content: 'Hello all' }])
  const messages = await rest.send<{ data: object[] }>('GET', '/api/messaging/messages')
  expect(messages.body.data[0]).toMatchObject({ body: 'Hello all', from: 'Red', to: created.body.name })
  const calls = await rest.send<{ calls: object[] }>(
    'GET',
    `/api/laml/2010-04-01/Accounts/${deployment.access.projectId}/Calls.json`,
  )
  expect(calls.body.calls[0]).toMatchObject({ status: 'in-progress', from: 'Red', to: created.body.name })
})
