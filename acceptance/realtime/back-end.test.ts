import { SignalWire } from '@signalwire/realtime-api'
import { afterAll, expect, test } from 'vitest'
import type { MemberEvent } from '../testing/published-client.ts'
import { freePort } from '../testing/server-process.ts'
import { TcpRelay } from '../testing/tcp-relay.ts'
import { GREEN, RED, useDeployment } from '../testing/use-deployment.ts'
import { type BackEnd, type RoomSession, sessionOf, useBackEnds } from './back-ends.ts'

const port = await freePort()
const relay = await TcpRelay.open({ port })
const deployment = useDeployment({
  name: 'back-end',
  env: { PARLEY_PORT: String(port), PARLEY_PUBLIC_URL: `https://localhost:${relay.port}` },
})
const connect = useBackEnds(deployment)
afterAll(() => relay.close())

/** A room with two people, and the session as the back end sees it. */
async function meeting(backEnd: BackEnd) {
  const room_name = deployment.roomName()
  const red = await deployment.enter(RED, { room_name })
  const green = await deployment.enter(GREEN, { room_name })
  return { room_name, red, green, session: await sessionOf(backEnd, room_name) }
}

const isOf = (memberId: string, field: string, value: unknown) => ({
  right: ({ member }: MemberEvent) => member.id === memberId && member[field] === value,
})

test('a wrong token fires onAuthError at once', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const { projectId: project } = deployment.access
  const host = `wss://localhost:${relay.port}`
  const options = {
    host,
    project,
    token: 'PTwrong',
    logLevel: 'silent',
    listen: { onAuthError: resolve },
  } as const
  const startedAt = performance.now()
  await SignalWire(options)
  expect(await promise).toMatchObject({ code: -32002 })
  expect(performance.now() - startedAt).toBeLessThan(5000)
})

test('rooms are told as they start and end, the running ones at first', async () => {
  const backEnd = await connect()
  const { room_name, red, green, session } = await meeting(backEnd)
  const told: string[] = []
  await backEnd.video.listen({
    onRoomStarted: ({ name }) => void told.push(`${name} started`),
    onRoomEnded: ({ name }) => void told.push(`${name} ended`),
  })
  await expect.poll(() => told).toContain(`${room_name} started`)
  const found = await backEnd.video.getRoomSessionById(session.id)
  expect(found.roomSession).toMatchObject({ id: session.id, name: room_name, locked: false })
  await Promise.all([red.call('leave'), green.call('leave')])
  await expect.poll(() => told, { timeout: 30_000 }).toContain(`${room_name} ended`)
})

/** Calls on one member, the field that they change, and its value afterwards. */
const ON_MEMBER: readonly [keyof RoomSession, object, string, unknown][] = [
  ['audioMute', {}, 'audio_muted', true],
  ['audioUnmute', {}, 'audio_muted', false],
  ['videoMute', {}, 'video_muted', true],
  ['videoUnmute', {}, 'video_muted', false],
  ['deaf', {}, 'deaf', true],
  ['undeaf', {}, 'deaf', false],
  ['setInputVolume', { volume: 10 }, 'input_volume', 10],
  ['setOutputVolume', { volume: -10 }, 'output_volume', -10],
  ['setInputSensitivity', { value: 20 }, 'input_sensitivity', 20],
]

test('every call on a member takes effect, and the back end is told as the members are', async () => {
  const backEnd = await connect()
  const { session, red, green } = await meeting(backEnd)
  const told: string[] = []
  await session.listen({
    onMemberAudioMuted: ({ audioMuted }) => void told.push(`audio ${audioMuted}`),
    onMemberUpdated: ({ id }) => void told.push(`updated ${id}`),
    onMemberLeft: ({ id }) => void told.push(`left ${id}`),
  })
  const { members } = await session.getMembers()
  expect(members.map(({ id }) => id).sort()).toEqual([red.memberId, green.memberId].sort())
  for (const [method, params, field, value] of ON_MEMBER) {
    const since = green.events.mark()
    const call = session[method] as (params: object) => Promise<void>
    await call.call(session, { memberId: red.memberId, ...params })
    await green.events.waitFor<MemberEvent>('member.updated', { since, ...isOf(red.memberId, field, value) })
  }
  await expect.poll(() => told).toContain('audio true')
  expect(told).toContain(`updated ${red.memberId}`)
  await session.removeMember({ memberId: red.memberId })
  await expect.poll(() => told).toContain(`left ${red.memberId}`)
})

test('the room is locked and unlocked, and says what it can do', async () => {
  const backEnd = await connect()
  const { session, red } = await meeting(backEnd)
  const told: boolean[] = []
  await session.listen({ onRoomUpdated: ({ locked }) => void told.push(locked === true) })
  for (const [method, locked] of [
    ['lock', true],
    ['unlock', false],
  ] as const) {
    await session[method]()
    await expect.poll(() => told.at(-1)).toBe(locked)
  }
  expect((await session.getLayouts()).layouts).toContain('grid-responsive')
  expect(await session.getMeta()).toEqual({ meta: {} })
  expect(await session.getMemberMeta({ memberId: red.memberId })).toEqual({ meta: {} })
  expect(await session.getStreams()).toEqual({ streams: [] })
})

test('a recording starts, pauses, goes on and ends, and its promises settle', async () => {
  const backEnd = await connect()
  const { session } = await meeting(backEnd)
  const promise = session.startRecording()
  const recording = await promise.onStarted()
  expect(recording.state).toBe('recording')
  await recording.pause()
  await recording.resume()
  expect((await session.getRecordings()).recordings).toHaveLength(1)
  await recording.stop()
  expect(await promise).toMatchObject({ id: recording.id, state: 'completed' })
})

test('a stream that cannot be is refused', async () => {
  const backEnd = await connect()
  const { session } = await meeting(backEnd)
  await expect(session.startStream({ url: 'nonsense' }).onStarted()).rejects.toMatchObject({ code: '400' })
})

test('chat and PubSub carry messages both ways', async () => {
  const [one, other] = [await connect(), await connect()]
  const channel = deployment.roomName()
  const heard: unknown[] = []
  await one.chat.listen({
    channels: [channel],
    onMessageReceived: ({ content }) => void heard.push(content),
    onMemberJoined: ({ id }) => void heard.push(`joined ${typeof id}`),
  })
  await other.chat.listen({ channels: [channel], onMessageReceived: () => {} })
  await other.chat.publish({ channel, content: 'hello' })
  await expect.poll(() => heard).toEqual(expect.arrayContaining(['joined string', 'hello']))
  expect((await one.chat.getMessages({ channel })).messages).toMatchObject([{ content: 'hello' }])
  expect((await one.chat.getMembers({ channel })).members).toHaveLength(2)
  const published: unknown[] = []
  const stop = await one.pubSub.listen({
    channels: [`${channel}-p`],
    onMessageReceived: ({ content }) => void published.push(content),
  })
  await other.pubSub.publish({ channel: `${channel}-p`, content: { n: 1 } })
  await expect.poll(() => published).toEqual([{ n: 1 }])
  await stop()
})

test('what is not served says so', async () => {
  const backEnd = await connect()
  const calls = [
    () => backEnd.voice.listen({ topics: ['office'], onCallReceived: () => {} }),
    () => backEnd.messaging.listen({ topics: ['office'], onMessageReceived: () => {} }),
    () => backEnd.task.listen({ topics: ['office'], onTaskReceived: () => {} }),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('no phone calls'),
    })
  }
})

test('after the network failed, everything that was missed arrives, and listening goes on', async () => {
  const backEnd = await connect()
  const { session, room_name, green } = await meeting(backEnd)
  const left: string[] = []
  await session.listen({ onMemberLeft: ({ id }) => void left.push(id) })
  const started: string[] = []
  await backEnd.video.listen({ onRoomStarted: ({ name }) => void started.push(name) })
  await expect.poll(() => started).toContain(room_name)
  const { promise: back, resolve } = Promise.withResolvers<void>()
  backEnd.listen({ onConnected: () => resolve() })
  const { memberId } = green
  relay.cut()
  await session.removeMember({ memberId }).catch(() => session.removeMember({ memberId }).catch(() => {}))
  await back
  await expect.poll(() => left, { timeout: 20_000 }).toEqual([memberId])
  const later = deployment.roomName()
  await deployment.enter(GREEN, { room_name: later })
  await expect.poll(() => started).toContain(later)
})
