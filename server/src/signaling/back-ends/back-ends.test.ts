import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { type ApiTokens, createApiTokens } from '../../projects/api-tokens.ts'
import type { RelayClient } from '../../testing/relay/relay-client.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'
import { timePasses } from '../../testing/time-passes.ts'

let relay: RunningRelay
let tokens: ApiTokens
let secret: string

beforeAll(async () => {
  relay = await RunningRelay.open()
  const actor = { kind: 'os-user', name: 'ada' } as const
  tokens = createApiTokens({ storage: relay.storage, clock: systemClock, actor })
  secret = await tokenWith('video', 'chat')
})
afterAll(() => relay.close())

async function tokenWith(...scopes: string[]): Promise<string> {
  return (await tokens.create(relay.projectId, 'back end', scopes)).secret
}

type BackEnd = RelayClient & { session: Record<string, unknown> }

async function signIn(authentication: object, resume: object = {}) {
  const client = await relay.open()
  const answer = await client.request('signalwire.connect', { authentication, ...resume })
  return { client, answer }
}

async function backEnd(token = secret, resume: object = {}): Promise<BackEnd> {
  const { client, answer } = await signIn({ project: relay.projectId, token }, resume)
  if (!answer.result) throw new Error(answer.error?.message)
  return Object.assign(client, { session: answer.result })
}

const subscribe = (client: RelayClient, event_channel: string, events: string[]) =>
  client.request('signalwire.subscribe', { get_initial_state: true, event_channel, events })
const watchRooms = (client: RelayClient) =>
  subscribe(client, 'video.rooms', ['video.room.started', 'video.room.ended'])

async function roomWithMember(permissions?: string[]) {
  const { name } = await relay.addRoom({ name: `room ${newId()}` })
  const member = await relay.enter({ room_name: name, ...(permissions && { permissions }) })
  return { name, member, sessionId: member.call.sessionId, memberId: member.call.memberId }
}

const typesOf = (client: RelayClient, since = 0) => client.events.slice(since).map(({ type }) => type)

describe('signing in', () => {
  test('takes a project and its API token, and gives a session to come back to', async () => {
    const { session } = await backEnd()
    const { authorization, protocol } = session as Record<string, Record<string, unknown>>
    expect(authorization).toMatchObject({ project_id: relay.projectId, scopes: ['chat', 'video'] })
    expect(String(protocol).split('_')[1]).toBe(authorization?.signature)
  })

  test.each([
    ['a wrong token', () => ({ project: relay.projectId, token: 'PTwrong' })],
    ['a token of another project', () => ({ project: newId(), token: secret })],
    ['no project', () => ({ token: secret })],
    ['no token', () => ({ project: relay.projectId })],
  ])('is refused at once with -32002 for %s', async (_, authentication) => {
    const { answer } = await signIn(authentication())
    expect(answer.error).toMatchObject({
      code: -32002,
      message: expect.stringMatching(/^Authentication failed/),
    })
  })

  test('needs a scope of something that is served here', async () => {
    const { answer } = await signIn({ project: relay.projectId, token: await tokenWith('messaging') })
    expect(answer.error).toMatchObject({ code: -32002, message: expect.stringContaining('scopes') })
  })

  test('gives the methods of its scopes and no others', async () => {
    const chatOnly = await backEnd(await tokenWith('chat'))
    expect((await chatOnly.request('video.rooms.get')).result).toMatchObject({ code: '403' })
    expect((await watchRooms(chatOnly)).result).toMatchObject({ code: '403' })
    const videoOnly = await backEnd(await tokenWith('video'))
    const publication = { channel: 'news', content: 1 }
    expect((await videoOnly.request('chat.publish', publication)).result).toMatchObject({ code: '403' })
    expect((await videoOnly.request('video.rooms.get')).result).toMatchObject({ code: '200' })
  })

  test.each(['rotate', 'revoke'] as const)(
    'ends for those connected when the token is %sd',
    async (change) => {
      const { token, secret: own } = await tokens.create(relay.projectId, 'short', ['video'])
      const idle = await backEnd(own)
      await watchRooms(idle)
      const busy = await backEnd(own)
      const stays = await backEnd()
      await tokens[change](relay.projectId, token.id)
      expect((await busy.request('video.rooms.get')).error).toMatchObject({ code: -32002 })
      expect(await busy.closed()).toBe(1008)
      expect(await idle.closed()).toBe(1008)
      expect((await stays.request('video.rooms.get')).result).toMatchObject({ code: '200' })
      const { answer } = await signIn({ project: relay.projectId, token: own })
      expect(answer.error).toMatchObject({ code: -32002 })
    },
  )
})

describe('the rooms of the project', () => {
  test('are told at first, then as they start and end', async () => {
    const early = await roomWithMember()
    const client = await backEnd()
    expect((await watchRooms(client)).result).toMatchObject({ code: '200' })
    const isOf = (id: string) => (params: Record<string, unknown>) => params.room_session_id === id
    expect(await client.event('video.room.started', { right: isOf(early.sessionId) })).toMatchObject({
      room_session: { id: early.sessionId, name: early.name, event_channel: `EC_${early.sessionId}` },
    })
    const late = await roomWithMember()
    await client.event('video.room.started', { right: isOf(late.sessionId) })
    await late.member.verto('verto.bye', { dialogParams: { callID: late.member.call.callID } })
    await client.event('video.room.ended', { right: isOf(late.sessionId) })
    expect(typesOf(client).every((type) => type.startsWith('video.room.'))).toBe(true)
  })

  test('can be listed, and read by id', async () => {
    const { sessionId, name } = await roomWithMember()
    const client = await backEnd()
    const { result } = await client.request('video.rooms.get')
    expect(result?.rooms).toContainEqual(expect.objectContaining({ id: sessionId, name }))
    const one = await client.request('video.room.get', { room_session_id: sessionId })
    expect(one.result).toMatchObject({ code: '200', room: { id: sessionId, name } })
  })

  test('of another project do not exist', async () => {
    const { sessionId } = await roomWithMember()
    const stranger = newId()
    await relay.storage.projects.insert({ id: stranger, name: 'stranger', created_at: 1 })
    const { secret: theirs } = await tokens.create(stranger, 'theirs', ['video', 'chat'])
    const { client, answer } = await signIn({ project: stranger, token: theirs })
    expect(answer.result).toBeDefined()
    await watchRooms(client)
    expect((await client.request('video.rooms.get')).result?.rooms).toEqual([])
    for (const [method, params] of [
      ['video.room.get', {}],
      ['video.lock', {}],
      ['video.members.get', {}],
      ['signalwire.subscribe', { event_channel: `EC_${sessionId}`, events: ['video.member.joined'] }],
    ] as const) {
      const { result } = await client.request(method, { room_session_id: sessionId, ...params })
      expect(result, method).toMatchObject({ code: '404' })
    }
    await roomWithMember()
    await client.roundTrip()
    expect(client.events).toEqual([])
  })
})

describe('the channel of a session', () => {
  test('gives the session once, then the events that were asked for', async () => {
    const { sessionId, memberId, name } = await roomWithMember()
    const client = await backEnd()
    await subscribe(client, `EC_${sessionId}`, ['video.member.joined', 'video.member.left'])
    const { room_session } = await client.event('video.room.subscribed')
    expect(room_session).toMatchObject({ id: sessionId, members: [{ id: memberId }] })
    await subscribe(client, `EC_${sessionId}`, ['video.member.updated'])
    const other = await relay.enter({ room_name: name })
    await client.event('video.member.joined', {
      right: ({ member }) => (member as { id: string }).id === other.call.memberId,
    })
    await other.request('video.member.audio_mute', {
      room_session_id: sessionId,
      member_id: other.call.memberId,
    })
    expect(await client.event('video.member.updated')).toMatchObject({ member: { updated: ['audio_muted'] } })
    other.drop()
    await client.event('video.member.left')
    expect([...new Set(typesOf(client))].sort()).toEqual([
      'video.member.joined',
      'video.member.left',
      'video.member.updated',
      'video.room.subscribed',
    ])
    expect(typesOf(client).filter((type) => type === 'video.room.subscribed')).toHaveLength(1)
  })

  test('that is none is refused', async () => {
    const client = await backEnd()
    for (const channel of ['EC_none', 'video.members', 'x']) {
      expect((await subscribe(client, channel, ['video.member.joined'])).result).toMatchObject({
        code: '404',
      })
    }
    const { result } = await client.request('signalwire.subscribe', { event_channel: 'video.rooms' })
    expect(result).toMatchObject({ code: '400' })
  })

  test('tells an event once, although two channels have it', async () => {
    const { sessionId, member } = await roomWithMember()
    const client = await backEnd()
    await watchRooms(client)
    await subscribe(client, `EC_${sessionId}`, ['video.room.ended'])
    await member.verto('verto.bye', { dialogParams: { callID: member.call.callID } })
    await client.event('video.room.ended')
    await client.roundTrip()
    const ends = client.events.filter(
      ({ type, params }) => type === 'video.room.ended' && params.room_session_id === sessionId,
    )
    expect(ends).toHaveLength(1)
  })
})

describe('methods', () => {
  test('act as the project, whatever members may do, and the history says so', async () => {
    const { sessionId, memberId, member } = await roomWithMember([])
    const client = await backEnd()
    const on = { room_session_id: sessionId, member_id: memberId }
    expect((await member.request('video.member.audio_mute', on)).result).toMatchObject({ code: '403' })
    expect((await client.request('video.member.audio_mute', on)).result).toMatchObject({ code: '200' })
    expect((await client.request('video.members.get', { room_session_id: sessionId })).result).toMatchObject({
      members: [{ id: memberId, audio_muted: true }],
    })
    expect((await client.request('video.lock', { room_session_id: sessionId })).result).toMatchObject({
      code: '200',
    })
    await member.event('video.room.updated')
    expect((await client.request('video.member.remove', on)).result).toMatchObject({ code: '200' })
    await member.vertoEvent('verto.bye')
    await relay.registry.written(relay.projectId)
    const { rows } = await relay.storage.events.list(relay.projectId, { sessionId }, { limit: 50 })
    const acts = rows.filter(({ name }) => name === 'project.acted').map(({ payload }) => payload)
    expect(acts).toEqual([
      { method: 'video.member.audio_mute', api_token_id: expect.any(String), member_id: memberId },
      { method: 'video.lock', api_token_id: expect.any(String) },
      { method: 'video.member.remove', api_token_id: expect.any(String), member_id: memberId },
    ])
  })

  test('say what is wrong', async () => {
    const { sessionId } = await roomWithMember()
    const client = await backEnd()
    const on = { room_session_id: sessionId }
    const wrong = await client.request('video.member.audio_mute', { ...on, member_id: 'nobody' })
    expect(wrong.result).toMatchObject({ code: '404' })
    expect((await client.request('video.member.audio_mute', on)).result).toMatchObject({ code: '400' })
    expect((await client.request('video.lock', {})).result).toMatchObject({ code: '404' })
    expect((await client.request('video.nonsense', on)).error).toMatchObject({ code: -32601 })
  })

  test.each(['signalwire.receive', 'calling.dial', 'messaging.send', 'tasking.deliver'])(
    'of a service that is not here are refused with a sentence: %s',
    async (method) => {
      const { error } = await (await backEnd()).request(method, { contexts: ['home'] })
      expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('no phone calls') })
    },
  )

  test('that start a recording bring its events, unasked', async () => {
    const { sessionId } = await roomWithMember()
    const [client, bystander] = [await backEnd(), await backEnd()]
    await subscribe(bystander, `EC_${sessionId}`, ['video.member.joined'])
    const { result } = await client.request('video.recording.start', { room_session_id: sessionId })
    const { id: recording_id } = (result?.recording ?? {}) as { id?: string }
    expect(await client.event('video.recording.started')).toMatchObject({ recording: { id: recording_id } })
    await client.request('video.recording.stop', { room_session_id: sessionId, recording_id })
    expect(await client.event('video.recording.ended')).toMatchObject({ recording: { id: recording_id } })
    expect(typesOf(bystander)).not.toContain('video.recording.started')
  })
})

describe('after a drop', () => {
  test('subscriptions go on, and what was missed comes in order', async () => {
    const { sessionId, name } = await roomWithMember()
    const client = await backEnd()
    await watchRooms(client)
    await subscribe(client, `EC_${sessionId}`, ['video.member.joined'])
    await client.event('video.room.subscribed')
    client.drop()
    const joined = [await relay.enter({ room_name: name }), await relay.enter({ room_name: name })]
    const { protocol } = client.session
    const again = await backEnd(secret, { protocol })
    expect(again.session.protocol).toBe(protocol)
    await again.event('video.member.joined', {
      right: ({ member }) => (member as { id: string }).id === joined[1]?.call.memberId,
    })
    const ids = again.events
      .filter(({ type }) => type === 'video.member.joined')
      .map(({ params }) => (params.member as { id: string }).id)
    expect(ids).toEqual(joined.map(({ call }) => call.memberId))
    const late = await roomWithMember()
    await again.event('video.room.started', {
      right: ({ room_session_id }) => room_session_id === late.sessionId,
    })
  })

  test('another token does not get the session', async () => {
    const client = await backEnd()
    await watchRooms(client)
    const { protocol } = client.session
    const other = await backEnd(await tokenWith('video'), { protocol })
    expect(other.session.protocol).not.toBe(protocol)
    const { sessionId } = await roomWithMember()
    await client.event('video.room.started', {
      right: ({ room_session_id }) => room_session_id === sessionId,
    })
    await other.roundTrip()
    expect(other.events).toEqual([])
  })
})

test('a restart of the server leaves a back end subscribed, and it learns what has ended and begun', async () => {
  const gone = await roomWithMember()
  const client = await backEnd()
  await watchRooms(client)
  await subscribe(client, `EC_${gone.sessionId}`, ['video.member.joined', 'video.room.ended'])
  await relay.restartSignaling()
  await client.closed()
  const [session] = relay.registry.sessions.filter(({ id }) => id === gone.sessionId)
  await session?.end('shutdown')
  const there = await roomWithMember()
  const again = await backEnd(secret, { protocol: client.session.protocol })
  expect(again.session.protocol).toBe(client.session.protocol)
  const isOf = (id: string) => ({ right: (params: Record<string, unknown>) => params.room_session_id === id })
  await again.event('video.room.ended', isOf(gone.sessionId))
  await again.event('video.room.started', isOf(there.sessionId))
  const late = await roomWithMember()
  await again.event('video.room.started', isOf(late.sessionId))
})

describe('the chat of the project', () => {
  test('is open to a back end: it reads, writes and sees who is there', async () => {
    const channel = `c-${newId()}`
    const person = await relay.connectWith(await relay.chatToken({ [channel]: 'rw' }))
    await person.request('chat.subscribe', { channels: [{ name: channel }], events: ['chat.message'] })
    const client = await backEnd()
    await client.request('chat.subscribe', { channels: [{ name: channel }], events: ['chat.message'] })
    await client.request('chat.publish', { channel, content: 'from the server' })
    expect(await person.event('chat.channel.message')).toMatchObject({
      message: { content: 'from the server' },
    })
    await person.request('chat.publish', { channel, content: 'from ada' })
    await client.event('chat.channel.message', {
      right: ({ message }) => (message as { content: string }).content === 'from ada',
    })
    const { result } = await client.request('chat.members.get', { channel })
    expect(result?.members).toContainEqual(expect.objectContaining({ id: 'ada' }))
  })

  test('does not include the channels of conferences', async () => {
    const client = await backEnd()
    const { result } = await client.request('chat.publish', { channel: 'sw_conference_x', content: 1 })
    expect(result).toMatchObject({ code: '403' })
  })
})

test('events that the client acknowledged are not sent again', async () => {
  const client = await backEnd()
  await watchRooms(client)
  const { sessionId } = await roomWithMember()
  await client.event('video.room.started', { right: ({ room_session_id }) => room_session_id === sessionId })
  await client.roundTrip()
  client.drop()
  const again = await backEnd(secret, { protocol: client.session.protocol })
  await timePasses(100, 'nothing comes')
  expect(again.events).toEqual([])
})
