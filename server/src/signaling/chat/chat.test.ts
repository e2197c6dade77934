import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ChatGrant, mintChatToken } from '../../chat/chat-token.ts'
import { newId } from '../../ids.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'

let relay: RunningRelay
beforeAll(async () => {
  relay = await RunningRelay.open()
})
afterAll(() => relay.close())

type Client = Awaited<ReturnType<RunningRelay['connectWith']>>

/** Connects a client of the chat. Every test has channels of its own. */
async function enter(member_id: string, channels: Record<string, string>, fields: Partial<ChatGrant> = {}) {
  return relay.connectWith(await relay.chatToken(channels, { member_id, ...fields }))
}

const named = (...names: string[]) => names.map((name) => ({ name }))
const ALL = ['chat.message', 'chat.member.joined', 'chat.member.updated', 'chat.member.left']

async function call(client: Client, method: string, params: Record<string, unknown>) {
  const { result, error } = await client.request(`chat.${method}`, params)
  return result ?? { error }
}

const subscribe = (client: Client, channel: string, events = ALL) =>
  call(client, 'subscribe', { channels: named(channel), events })
const publish = (client: Client, channel: string, content: unknown, meta?: object) =>
  call(client, 'publish', { channel, content, ...(meta && { meta }) })
const textsTo = (client: Client) =>
  client.events
    .filter(({ type }) => type === 'chat.channel.message')
    .map(({ params }) => (params.message as { content: unknown }).content)

describe('signalwire.connect with a chat token', () => {
  test('answers with what the client shows of itself', async () => {
    const client = await enter('ada', { a: 'rw', b: 'r', c: 'w' }, { expires_at: 2_000_000_000_000 })
    const { authorization, protocol } = client.session as Record<string, Record<string, unknown>>
    expect(authorization).toMatchObject({
      type: 'chat',
      project: relay.projectId,
      project_id: relay.projectId,
      scopes: ['chat'],
      member_id: 'ada',
      expires_at: 2_000_000_000,
      channels: {
        a: { read: true, write: true },
        b: { read: true, write: false },
        c: { read: false, write: true },
      },
    })
    expect(String(protocol).split('_')[1]).toBe(authorization?.signature)
  })

  test('refuses tokens that are foreign, old, or no tokens of a chat', async () => {
    const grant = { id: newId(), project_id: relay.projectId, kind: 'chat', member_id: 'x' } as const
    const rest = { channels: new Map(), state: {}, seat: null, issued_at: 0, expires_at: 9e12 }
    const tokens = [
      await mintChatToken({ ...grant, ...rest }, randomBytes(64), 'localhost'),
      await relay.chatToken({ a: 'r' }, { expires_at: Date.now() - 1000 }),
      `${await relay.chatToken({ a: 'r' })}x`,
      (await relay.token()).replace(/^[^.]+/, Buffer.from('{"typ":"CHT"}').toString('base64url')),
    ]
    for (const jwt_token of tokens) {
      const client = await relay.open()
      const { error } = await client.request('signalwire.connect', { authentication: { jwt_token } })
      expect(error).toMatchObject({ code: -32002, message: expect.stringMatching(/^Authentication failed/) })
    }
  })

  test('is for a socket that is not connected yet', async () => {
    const token = await relay.chatToken({ a: 'r' })
    for (const client of [await enter('ada', { a: 'r' }), await relay.connect()]) {
      const { error } = await client.request('signalwire.connect', { authentication: { jwt_token: token } })
      expect(error?.message).toMatch(/connected already/)
    }
  })

  test('lets into the chat and nothing else, and the other way round', async () => {
    const chat = await enter('ada', { a: 'r' })
    expect((await chat.request('video.get_layouts')).error?.code).toBe(-32601)
    expect((await chat.verto('verto.invite', {})).error?.code).toBe(-32601)
    const room = await relay.connect()
    expect((await room.request('chat.publish', { channel: 'a', content: 1 })).error?.code).toBe(-32601)
    const stranger = await relay.open()
    expect((await stranger.request('chat.publish', {})).error?.code).toBe(-32002)
  })
})

describe('messages', () => {
  test('reach those who subscribed, in order, as they were written', async () => {
    const [ada, bob, cyd] = [
      await enter('ada', { standup: 'rw' }),
      await enter('bob', { standup: 'r' }),
      await enter('cyd', { standup: 'rw' }),
    ]
    for (const client of [ada, bob]) expect(await subscribe(client, 'standup')).toMatchObject({ code: '200' })
    const before = Date.now() / 1000
    expect(await publish(cyd, 'standup', { text: 'hi', more: [1, null] }, { urgent: true })).toEqual({
      code: '200',
      message: 'OK',
    })
    const { channel, message } = await bob.event('chat.channel.message')
    expect(channel).toBe('standup')
    expect(message).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      channel: 'standup',
      content: { text: 'hi', more: [1, null] },
      meta: { urgent: true },
      published_at: expect.any(Number),
      member: { id: 'cyd', channel: 'standup', state: {} },
    })
    expect((message as { published_at: number }).published_at).toBeGreaterThanOrEqual(before)
    await Promise.all(Array.from({ length: 20 }, (_, index) => publish(ada, 'standup', index)))
    await bob.event('chat.channel.message', {
      right: ({ message: one }) => (one as { content: unknown }).content === 19,
    })
    expect(textsTo(bob).slice(1)).toEqual(Array.from({ length: 20 }, (_, index) => index))
    expect(textsTo(ada)).toEqual(textsTo(bob))
    expect(textsTo(cyd)).toEqual([])
  })

  test('of a project stay in it, whatever the channel is called', async () => {
    const other = newId()
    await relay.storage.projects.insert({ id: other, name: 'other', created_at: 1 })
    const mine = await enter('ada', { shared: 'rw' })
    const theirs = await enter('ada', { shared: 'rw' }, { project_id: other })
    for (const client of [mine, theirs]) await subscribe(client, 'shared')
    await publish(mine, 'shared', 'secret')
    await publish(theirs, 'shared', 'own')
    expect(textsTo(theirs)).toEqual(['own'])
    expect((await call(theirs, 'messages.get', { channel: 'shared' })).messages).toHaveLength(1)
    expect((await call(theirs, 'members.get', { channel: 'shared' })).members).toHaveLength(1)
  })

  test('can be read again, in pages, newest first', async () => {
    const client = await enter('ada', { history: 'rw' })
    for (let index = 0; index < 60; index++) {
      await relay.storage.chatMessages.insert({
        id: newId(),
        project_id: relay.projectId,
        channel: 'history',
        room_session_id: null,
        member_id: 'bob',
        from_name: null,
        to_name: null,
        content: String(index),
        meta: null,
        created_at: 1000 + Math.floor(index / 2),
      })
    }
    const get = async (cursor?: object) => {
      const answer = await call(client, 'messages.get', { channel: 'history', ...(cursor && { cursor }) })
      const contents = (answer.messages as { content: number }[]).map(({ content }) => content)
      return { contents, cursor: answer.cursor as { after: string | null; before: string | null } }
    }
    const first = await get()
    expect(first.contents).toEqual(Array.from({ length: 50 }, (_, index) => 59 - index))
    expect(first.cursor).toEqual({ after: expect.any(String), before: null })
    const second = await get({ after: first.cursor.after })
    expect(second.contents).toEqual(Array.from({ length: 10 }, (_, index) => 9 - index))
    expect(second.cursor).toEqual({ after: null, before: expect.any(String) })
    expect((await get({ before: second.cursor.before })).contents).toEqual(first.contents)
    expect(await call(client, 'messages.get', { channel: 'history', cursor: { after: 'x' } })).toMatchObject({
      code: '400',
    })
  })

  test('have a limit', async () => {
    const client = await enter('ada', { limits: 'rw' })
    expect(await publish(client, 'limits', 'x'.repeat(19_998))).toMatchObject({ code: '200' })
    expect(await publish(client, 'limits', 'x'.repeat(19_999))).toMatchObject({ code: '413' })
    expect(await publish(client, 'limits', 1, { a: 'x'.repeat(1993) })).toMatchObject({ code: '413' })
    expect((await call(client, 'messages.get', { channel: 'limits' })).messages).toHaveLength(1)
  })
})

describe('permissions', () => {
  test.each<[string, string, Record<string, unknown>]>([
    ['w', 'subscribe', { channels: named('p'), events: ALL }],
    ['w', 'messages.get', { channel: 'p' }],
    ['w', 'members.get', { channel: 'p' }],
    ['r', 'publish', { channel: 'p', content: 1 }],
    ['rw', 'publish', { channel: 'another', content: 1 }],
    ['rw', 'subscribe', { channels: named('p', 'another'), events: ALL }],
    ['r', 'member.set_state', { channels: named('p'), member_id: 'bob', state: {} }],
    ['w', 'member.get_state', { channels: named('p'), member_id: 'bob' }],
    ['rw', 'member.set_state', { channels: named('another'), state: {} }],
  ])('%s is not enough for %s %j', async (may, method, params) => {
    const client = await enter('ada', { p: may })
    expect(await call(client, method, params)).toMatchObject({ code: '403' })
    expect(client.events.filter(({ type }) => type.startsWith('chat.'))).toEqual([])
  })

  test.each<[string, Record<string, unknown>]>([
    ['subscribe', {}],
    ['subscribe', { channels: [] }],
    ['subscribe', { channels: ['p'] }],
    ['subscribe', { channels: Array(501).fill({ name: 'p' }) }],
    ['publish', { channel: 'p' }],
    ['publish', { channel: ['p'], content: 1 }],
    ['publish', { channel: 'p', content: 1, meta: 'x' }],
    ['messages.get', { channel: 'p', cursor: 7 }],
    ['member.set_state', { channels: named('p'), state: 'x' }],
    ['member.set_state', { channels: named('p') }],
  ])('nonsense is refused: %s %j', async (method, params) => {
    const client = await enter('ada', { p: 'rw' })
    expect(await call(client, method, params)).toMatchObject({ code: '400' })
  })

  test('end with the token', async () => {
    const token = await relay.chatToken({ short: 'rw' }, { expires_at: Date.now() + 1500 })
    const client = await relay.connectWith(token)
    const other = await enter('bob', { short: 'rw' })
    await subscribe(client, 'short')
    await publish(other, 'short', 'in time')
    await client.event('chat.channel.message')
    await expect
      .poll(() => call(client, 'members.get', { channel: 'short' }), { timeout: 5000 })
      .toMatchObject({ code: '401' })
    await publish(other, 'short', 'too late')
    expect(textsTo(client)).toEqual(['in time'])
  })
})

describe('members', () => {
  test('come with their state, change it, and go', async () => {
    const ada = await enter('ada', { lobby: 'rw' })
    await subscribe(ada, 'lobby')
    const bob = await enter('bob', { lobby: 'r' }, { state: { mood: 'new' } })
    await subscribe(bob, 'lobby')
    const isBob = ({ member }: { member?: unknown }) => (member as { id: string }).id === 'bob'
    expect(await ada.event('chat.member.joined', { right: isBob })).toEqual({
      channel: 'lobby',
      member: { id: 'bob', channel: 'lobby', state: { mood: 'new' } },
    })
    expect((await call(ada, 'members.get', { channel: 'lobby' })).members).toEqual([
      { id: 'ada', channel: 'lobby', state: {} },
      { id: 'bob', channel: 'lobby', state: { mood: 'new' } },
    ])
    expect(
      await call(bob, 'member.set_state', { channels: named('lobby'), state: { mood: 'old' } }),
    ).toMatchObject({ code: '200' })
    expect((await ada.event('chat.member.updated')).member).toMatchObject({ state: { mood: 'old' } })
    expect(await call(ada, 'member.get_state', { channels: named('lobby'), member_id: 'bob' })).toMatchObject(
      {
        channels: { lobby: { state: { mood: 'old' } } },
      },
    )
    await call(ada, 'member.set_state', { channels: named('lobby'), member_id: 'bob', state: { by: 'ada' } })
    expect(await call(bob, 'member.get_state', {})).toMatchObject({
      channels: { lobby: { state: { by: 'ada' } } },
    })
    expect(
      await call(ada, 'member.set_state', { channels: named('lobby'), member_id: 'nobody', state: {} }),
    ).toMatchObject({ code: '404' })
    expect(
      await call(bob, 'member.set_state', { channels: named('lobby'), state: { a: 'x'.repeat(1993) } }),
    ).toMatchObject({ code: '413' })
    await call(bob, 'unsubscribe', { channels: named('lobby') })
    expect((await ada.event('chat.member.left')).member).toMatchObject({ id: 'bob' })
    expect((await call(ada, 'members.get', { channel: 'lobby' })).members).toHaveLength(1)
  })

  test('with two clients are one, until both are gone', async () => {
    const watcher = await enter('watcher', { twins: 'rw' })
    await subscribe(watcher, 'twins')
    const [one, two] = [await enter('ada', { twins: 'r' }), await enter('ada', { twins: 'r' })]
    for (const client of [one, two]) await subscribe(client, 'twins')
    await call(one, 'unsubscribe', { channels: named('twins') })
    expect((await call(watcher, 'members.get', { channel: 'twins' })).members).toHaveLength(2)
    await call(two, 'unsubscribe', { channels: named('twins') })
    expect((await call(watcher, 'members.get', { channel: 'twins' })).members).toHaveLength(1)
    const joined = watcher.events.filter(({ type }) => type === 'chat.member.joined')
    expect(joined.map(({ params }) => (params.member as { id: string }).id)).toEqual(['watcher', 'ada'])
  })

  test('hear only of what they subscribed to, and keep the rest when they unsubscribe from some', async () => {
    const client = await enter('ada', { some: 'rw' })
    await subscribe(client, 'some', ['chat.message', 'chat.member.updated', 'chat.unknown'])
    await call(client, 'member.set_state', { channels: named('some'), state: { a: 1 } })
    await client.event('chat.member.updated')
    await call(client, 'unsubscribe', { channels: named('some'), events: ['chat.message'] })
    await publish(client, 'some', 'unheard')
    expect((await call(client, 'members.get', { channel: 'some' })).members).toHaveLength(1)
    expect(textsTo(client)).toEqual([])
    expect(client.events.map(({ type }) => type)).toEqual(['chat.member.updated'])
  })

  test('may say what they are before they come', async () => {
    const client = await enter('ada', { later: 'rw' })
    await call(client, 'member.set_state', { channels: named('later'), state: { ready: true } })
    await subscribe(client, 'later')
    expect((await client.event('chat.member.joined')).member).toMatchObject({ state: { ready: true } })
  })
})

describe('signalwire.reauthenticate', () => {
  const renew = async (client: Client, token: Promise<string>) =>
    client.request('signalwire.reauthenticate', { authentication: { jwt_token: await token } })

  test('replaces the channels; what may no longer be read is left', async () => {
    const [ada, bob] = [
      await enter('ada', { old: 'rw', both: 'rw' }),
      await enter('bob', { old: 'rw', both: 'rw' }),
    ]
    await call(ada, 'subscribe', { channels: named('old', 'both'), events: ALL })
    await subscribe(bob, 'old')
    const { result } = await renew(ada, relay.chatToken({ old: 'w', both: 'r', new: 'rw' }))
    expect(result?.protocol).toBe(ada.session.protocol)
    expect(result?.authorization).toMatchObject({ channels: { new: { read: true, write: true } } })
    expect((await bob.event('chat.member.left')).member).toMatchObject({ id: 'ada' })
    await publish(bob, 'old', 'unheard')
    await publish(bob, 'both', 'heard')
    await ada.event('chat.channel.message')
    expect(textsTo(ada)).toEqual(['heard'])
    expect(await publish(ada, 'both', 1)).toMatchObject({ code: '403' })
    expect(await subscribe(ada, 'new')).toMatchObject({ code: '200' })
  })

  test('is refused for another member, and for a bad token', async () => {
    const client = await enter('ada', { a: 'r' })
    for (const token of [relay.chatToken({ a: 'r' }, { member_id: 'bob' }), Promise.resolve('x.y.z')]) {
      expect((await renew(client, token)).error?.code).toBe(-32002)
    }
    expect(await subscribe(client, 'a')).toMatchObject({ code: '200' })
  })
})

describe('a client whose socket drops', () => {
  test('stays, and is told what it missed when it comes back', async () => {
    const token = await relay.chatToken({ drops: 'rw' })
    const ada = await relay.connectWith(token)
    const bob = await enter('bob', { drops: 'rw' })
    for (const client of [ada, bob]) await subscribe(client, 'drops')
    ada.drop()
    await ada.closed()
    await publish(bob, 'drops', 'missed')
    expect((await call(bob, 'members.get', { channel: 'drops' })).members).toHaveLength(2)
    const back = await relay.connectWith(token, { protocol: ada.session.protocol })
    expect(back.session.protocol).toBe(ada.session.protocol)
    await back.event('chat.channel.message')
    await publish(bob, 'drops', 'heard')
    await expect.poll(() => textsTo(back)).toEqual(['missed', 'heard'])
    expect(bob.events.filter(({ type }) => type === 'chat.member.left')).toEqual([])
  })

  test('is not taken for another who knows its protocol', async () => {
    const ada = await enter('ada', { theft: 'rw' })
    await subscribe(ada, 'theft')
    const token = await relay.chatToken({ theft: 'rw' }, { member_id: 'eve' })
    const eve = await relay.connectWith(token, { protocol: ada.session.protocol })
    expect(eve.session.protocol).not.toBe(ada.session.protocol)
    expect(ada.closeCode).toBeNull()
  })
})
