import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conferenceChannel } from '../../chat/chat-token.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'

let relay: RunningRelay
beforeAll(async () => {
  relay = await RunningRelay.open()
})
afterAll(() => relay.close())

type Client = Awaited<ReturnType<RunningRelay['connectWith']>>

const tokenFrom = async (client: Client) => (await client.request('video.get_chat_token')).result ?? {}
const call = async (client: Client, method: string, params: object) =>
  (await client.request(`chat.${method}`, { ...params })).result

/** A member of the conference, with a client for its chat. */
async function enter(secret: string) {
  const room = await relay.connectWith(secret)
  const { memberId, sessionId, callID } = await room.join()
  const { token, channel } = await tokenFrom(room)
  const chat = await relay.connectWith(String(token))
  return { room, chat, channel: String(channel), memberId, sessionId, callID }
}

describe('the chat of a room', () => {
  test('is for its members, who bear the names that they have in it, and is kept', async () => {
    const { conference, moderator, guest } = await relay.addConference()
    const [host, visitor] = [await enter(moderator.token), await enter(guest.token)]
    expect(host.channel).toBe(conferenceChannel(host.sessionId))
    expect(visitor.channel).toBe(host.channel)
    expect(host.chat.session.authorization).toMatchObject({ type: 'chat', member_id: host.memberId })
    const { channel } = host
    await call(visitor.chat, 'subscribe', { channels: [{ name: channel }] })
    expect(await call(host.chat, 'publish', { channel, content: 'Welcome' })).toMatchObject({ code: '200' })
    const { message } = await visitor.chat.event('chat.channel.message')
    expect(message).toMatchObject({ content: 'Welcome', member: { id: host.memberId } })

    const { rows } = await relay.storage.chatMessages.listOfConferences(relay.projectId, { limit: 9 })
    const members = await relay.storage.members.list(relay.projectId, host.sessionId, { limit: 9 })
    const name = members.rows.find(({ id }) => id === host.memberId)?.name
    expect(name).toMatch(/./)
    expect(rows).toMatchObject([
      {
        room_session_id: host.sessionId,
        channel,
        from_name: name,
        to_name: conference.name,
        content: '"Welcome"',
      },
    ])
  })

  test('is over for who has left it', async () => {
    const { moderator, guest } = await relay.addConference()
    const [host, visitor] = [await enter(moderator.token), await enter(guest.token)]
    const { channel } = host
    await call(visitor.chat, 'subscribe', { channels: [{ name: channel }] })
    await call(host.chat, 'publish', { channel, content: 'before' })
    await visitor.chat.event('chat.channel.message')
    await visitor.room.verto('verto.bye', { dialogParams: { callID: visitor.callID } })
    await host.room.event('video.member.left')
    await call(host.chat, 'publish', { channel, content: 'after' })
    for (const [method, params] of [
      ['publish', { channel, content: 'still here' }],
      ['messages.get', { channel }],
      ['subscribe', { channels: [{ name: channel }] }],
    ] as const) {
      expect(await call(visitor.chat, method, params)).toMatchObject({ code: '403' })
    }
    await call(host.chat, 'subscribe', { channels: [{ name: channel }] })
    expect((await call(host.chat, 'members.get', { channel }))?.members).toMatchObject([
      { id: host.memberId },
    ])
    const heard = visitor.chat.events.map(({ type }) => type)
    expect(heard).toEqual(['chat.member.joined', 'chat.channel.message'])
    expect((await call(host.chat, 'messages.get', { channel }))?.messages).toHaveLength(2)
  })

  test('shows each member under the name of its seat, whatever a client says', async () => {
    const { moderator, guest } = await relay.addConference()
    const [host, visitor] = [await enter(moderator.token), await enter(guest.token)]
    const { channel } = host
    const channels = [{ name: channel }]
    const seats = async () =>
      (await relay.storage.members.list(relay.projectId, host.sessionId, { limit: 9 })).rows
    await expect.poll(seats).toHaveLength(2)
    const rows = await seats()
    const nameOf = (id: string) => rows.find((member) => member.id === id)?.name
    await call(host.chat, 'subscribe', { channels })
    await call(visitor.chat, 'subscribe', { channels })
    const state = { name: 'Moderator', mood: 'sly' }
    const renaming = { channels, member_id: host.memberId, state }
    expect(await call(visitor.chat, 'member.set_state', renaming)).toMatchObject({ code: '403' })
    expect(
      await call(host.chat, 'member.set_state', { ...renaming, member_id: visitor.memberId }),
    ).toMatchObject({ code: '403' })
    expect(await call(visitor.chat, 'member.set_state', { channels, state })).toMatchObject({ code: '200' })
    const { member } = await host.chat.event('chat.member.updated')
    expect(member).toMatchObject({ state: { name: nameOf(visitor.memberId), mood: 'sly' } })
    const shown = (await call(host.chat, 'members.get', { channel }))?.members as {
      id: string
      state: object
    }[]
    for (const { id, state } of shown) expect(state).toMatchObject({ name: nameOf(id) })
    expect(shown).toHaveLength(2)

    await call(visitor.chat, 'publish', { channel, content: 'Obey' })
    const { message } = await host.chat.event('chat.channel.message')
    const sender = { id: visitor.memberId, state: { name: nameOf(visitor.memberId) } }
    expect(message).toMatchObject({ member: sender })
    await call(visitor.chat, 'unsubscribe', { channels })
    const history = await call(host.chat, 'messages.get', { channel })
    expect(history?.messages).toMatchObject([{ content: 'Obey', member: sender }])
  })

  test('can be switched off, and needs a session', async () => {
    const silent = await relay.addConference({ enable_chat: false })
    const room = await relay.connectWith(silent.guest.token)
    expect(await tokenFrom(room)).toMatchObject({ code: '404' })
    await room.join()
    expect(await tokenFrom(room)).toMatchObject({
      code: '403',
      message: 'Chat is switched off in this room.',
    })
  })

  test('is there in rooms that are no conference, for each session its own', async () => {
    const names = ['kitchen', 'garden']
    const [kitchen, garden] = await Promise.all(
      names.map(async (room_name) => {
        const room = await relay.enter({ room_name, user_name: 'Ada', permissions: [] })
        const { token, channel } = await tokenFrom(room)
        return { channel: String(channel), chat: await relay.connectWith(String(token)) }
      }),
    )
    const write = (channel?: string) => call(kitchen!.chat, 'publish', { channel, content: 'Soup' })
    expect(await write(kitchen?.channel)).toMatchObject({ code: '200' })
    expect(await write(garden?.channel)).toMatchObject({ code: '403' })
    const { rows } = await relay.storage.chatMessages.listOfConferences(relay.projectId, { limit: 1 })
    expect(rows).toMatchObject([{ from_name: 'Ada', to_name: 'kitchen', content: '"Soup"' }])
  })

  test('is for the audience of a room too, and over for who is removed', async () => {
    const host = await relay.enter({ room_name: 'hall', permissions: ['room.member.remove'] })
    const viewer = await relay.enter({ room_name: 'hall', user_name: 'Bob', join_as: 'audience' })
    const { token, channel } = await tokenFrom(viewer)
    const chat = await relay.connectWith(String(token))
    const write = () => call(chat, 'publish', { channel, content: 'A question' })
    expect(await write()).toMatchObject({ code: '200' })
    const { sessionId: room_session_id } = host.call
    await host.request('video.member.remove', { room_session_id, member_id: viewer.call.memberId })
    expect(await write()).toMatchObject({ code: '403' })
    const history = await call(chat, 'messages.get', { channel })
    expect(history).toMatchObject({ code: '403' })
  })

  test('of rooms is off where the server says so, and conferences keep theirs', async () => {
    const silent = await RunningRelay.open({ roomChat: false })
    try {
      expect(await tokenFrom(await silent.enter())).toMatchObject({ code: '403' })
      const { guest } = await silent.addConference()
      const room = await silent.connectWith(guest.token)
      await room.join()
      expect(await tokenFrom(room)).toMatchObject({ code: '200' })
    } finally {
      await silent.close()
    }
  })
})
