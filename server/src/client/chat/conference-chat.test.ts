import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { conferenceChannel } from '../../chat/chat-token.ts'
import { RunningRelay } from '../testing/running-relay.ts'

let relay: RunningRelay
beforeAll(async () => {
  relay = await RunningRelay.open()
})
afterAll(() => relay.close())

type Client = Awaited<ReturnType<RunningRelay['connectWith']>>

const tokenFrom = async (client: Client) => (await client.request('video.get_chat_token')).result ?? {}
const call = async (client: Client, method: string, params: object) =>
  (await client.request(`chat.${method}`, { ...params })).result

/** Somebody in the conference, with a client for its chat. */
async function enter(secret: string) {
  const room = await relay.connectWith(secret)
  const { memberId, sessionId, callID } = await room.join()
  const { token, channel } = await tokenFrom(room)
  const chat = await relay.connectWith(String(token))
  return { room, chat, channel: String(channel), memberId, sessionId, callID }
}

describe('the chat of a conference', () => {
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

  test('can be switched off, and needs a session', async () => {
    const silent = await relay.addConference({ enable_chat: false })
    const room = await relay.connectWith(silent.guest.token)
    expect(await tokenFrom(room)).toMatchObject({ code: '404' })
    await room.join()
    expect(await tokenFrom(room)).toMatchObject({
      code: '403',
      message: 'Chat is switched off in this room.',
    })
    expect(await tokenFrom(await relay.enter())).toMatchObject({ code: '403' })
  })
})
