import { afterAll, beforeAll, expect, test } from 'vitest'
import { RelayClient } from '../../server/src/testing/relay/relay-client.ts'
import { enter, type Person } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'

const TLS = { rejectUnauthorized: false }
const ROOM_EVENTS = ['video.room.started', 'video.room.ended']

let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-realtime', {
    PARLEY_SESSION_GRACE_SECONDS: '1',
    PARLEY_RECONNECT_GRACE_SECONDS: '1',
  })
})
afterAll(() => all?.stop())

type Signed = RelayClient & { protocol: string }

/** A program of the project, connected to one node. */
async function backEnd(node: string, protocol?: string): Promise<Signed> {
  const client = await RelayClient.open(all.urlOf(node), TLS)
  const { projectId: project, apiToken: token } = all.node(node).access
  const authentication = { project, token }
  const { result } = await client.request('signalwire.connect', {
    authentication,
    ...(protocol && { protocol }),
  })
  return Object.assign(client, { protocol: String(result?.protocol) })
}

const subscribe = (client: RelayClient, event_channel: string, events: string[]) =>
  client.request('signalwire.subscribe', { get_initial_state: true, event_channel, events })

async function enterRoom(name: string, user_name = 'Ada'): Promise<Person> {
  return enter(all.url, await all.rest.createRoomToken({ room_name: name, user_name }))
}

/** A node that does not run the room. */
async function otherNodeThanOf(room: string): Promise<string> {
  const [owner] = await all.query(
    `select owner_node from room_sessions where name = '${room}' and status = 'in-progress'`,
  )
  return all.names.find((name) => name !== owner) ?? ''
}

const ofRoom = (sessionId: string) => ({
  right: (params: Record<string, unknown>) => params.room_session_id === sessionId,
})

test('a back end hears of the sessions of all nodes, and acts on each', async () => {
  const early = await Promise.all(['one', 'two', 'three', 'four'].map((name) => enterRoom(`early-${name}`)))
  const client = await backEnd('b')
  await subscribe(client, 'video.rooms', ROOM_EVENTS)
  for (const { sessionId } of early) await client.event('video.room.started', ofRoom(sessionId))
  const listed = await client.request('video.rooms.get')
  expect(listed.result?.rooms).toHaveLength(4)

  for (let count = 0; count < 6; count++) {
    const room = `later-${count}`
    const person = await enterRoom(room)
    await client.event('video.room.started', ofRoom(person.sessionId))
    const channel = `EC_${person.sessionId}`
    const events = ['video.member.updated', 'video.member.joined', 'video.layout.changed']
    expect((await subscribe(client, channel, events)).result).toMatchObject({ code: '200' })
    const described = await client.event('video.room.subscribed', ofRoom(person.sessionId))
    expect(JSON.stringify(described)).toContain(person.memberId)
    const params = { room_session_id: person.sessionId, member_id: person.memberId }
    expect((await client.request('video.member.video_mute', params)).result).toMatchObject({ code: '200' })
    const isMuted = ({ member }: Record<string, unknown>) =>
      (member as { video_muted?: boolean }).video_muted === true
    await person.client.event('video.member.updated', { right: isMuted })
    await client.event('video.member.updated', { right: isMuted })
    const got = await client.request('video.room.get', { room_session_id: person.sessionId })
    expect(got.result).toMatchObject({ code: '200', room: { id: person.sessionId } })
    person.client.socket.close(1001)
    await client.event('video.room.ended', { ...ofRoom(person.sessionId), waitMs: 15_000 })
  }
  for (const { client: person } of early) person.socket.close(1001)
  for (const { sessionId } of early)
    await client.event('video.room.ended', { ...ofRoom(sessionId), waitMs: 15_000 })
  client.socket.close()
})

test('a back end comes back to another node, and misses nothing', async () => {
  const first = await backEnd('a')
  await subscribe(first, 'video.rooms', ROOM_EVENTS)
  first.drop()
  const person = await enterRoom('while-away')
  const again = await backEnd('c', first.protocol)
  expect(again.protocol).toBe(first.protocol)
  await again.event('video.room.started', ofRoom(person.sessionId))
  person.client.socket.close(1001)
  await again.event('video.room.ended', { ...ofRoom(person.sessionId), waitMs: 15_000 })
  again.socket.close()
})

test('a back end is told that the sessions of a killed node ended', { timeout: 60_000 }, async () => {
  const person = await enterRoom('killed')
  const node = await otherNodeThanOf('killed')
  const client = await backEnd(node)
  await subscribe(client, 'video.rooms', ROOM_EVENTS)
  await client.event('video.room.started', ofRoom(person.sessionId))
  const [owner = ''] = await all.query(
    `select owner_node from room_sessions where name = 'killed' and status = 'in-progress'`,
  )
  await all.node(owner).killEverything()
  await client.event('video.room.ended', { ...ofRoom(person.sessionId), waitMs: 30_000 })
  await all.node(owner).launch()
  client.socket.close()
})

test('chat and PubSub are one on all nodes, also for who comes back to another node', async () => {
  const channels = { lobby: { read: true, write: true } }
  const chat = async (node: string, member_id: string, resume: object = {}) => {
    const made = await all.rest.send<{ token: string }>('POST', '/api/chat/tokens', {
      channels,
      member_id,
      ttl: 60,
    })
    return RelayClient.connect(all.urlOf(node), made.body.token, resume as Record<string, unknown>, TLS)
  }
  const enterLobby = (client: RelayClient) =>
    client.request('chat.subscribe', {
      channels: [{ name: 'lobby' }],
      events: ['chat.message', 'chat.member.joined', 'chat.member.left'],
    })
  const publish = (client: RelayClient, content: string) =>
    client.request('chat.publish', { channel: 'lobby', content })
  const textsTo = (client: RelayClient) =>
    client.events
      .filter(({ type }) => type === 'chat.channel.message')
      .map(({ params }) => (params.message as { content: string }).content)

  const [ada, bob] = [await chat('a', 'ada'), await chat('b', 'bob')]
  await enterLobby(ada)
  await enterLobby(bob)
  const members = await bob.request('chat.members.get', { channel: 'lobby' })
  expect(members.result?.members).toMatchObject([{ id: 'bob' }, { id: 'ada' }])
  await publish(bob, 'hello')
  await expect.poll(() => textsTo(ada)).toEqual(['hello'])

  const { protocol } = ada.session
  ada.drop()
  for (const text of ['missed one', 'missed two']) await publish(bob, text)
  const again = await chat('c', 'ada', { protocol })
  await expect.poll(() => textsTo(again)).toEqual(['missed one', 'missed two'])
  await publish(bob, 'live')
  await expect.poll(() => textsTo(again)).toEqual(['missed one', 'missed two', 'live'])
  expect(bob.events.filter(({ type }) => type === 'chat.member.left')).toEqual([])
  for (const client of [again, bob]) client.socket.close()
})

test('the chat of a room is open to its people through every node, and to nobody else', async () => {
  const person = await enterRoom('talk')
  const { result } = await person.client.request('video.get_chat_token', {})
  const token = String(result?.token)
  const channels = [{ name: String(result?.channel) }]
  const clients = await Promise.all(
    all.names.map((name) => RelayClient.connect(all.urlOf(name), token, {}, TLS)),
  )
  for (const client of clients) {
    const entered = await client.request('chat.subscribe', { channels, events: ['chat.message'] })
    expect(entered.result).toMatchObject({ code: '200' })
  }
  await clients[0]?.request('chat.publish', { channel: result?.channel, content: 'Hello all' })
  for (const client of clients) await client.event('chat.channel.message')
  person.client.socket.close(1001)
  for (const client of clients) client.socket.close()
})
