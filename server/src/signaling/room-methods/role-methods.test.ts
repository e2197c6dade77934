import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../../rooms/permissions.ts'
import type { RoomTokenGrant } from '../../rooms/room-token.ts'
import type { RelayClient } from '../../testing/relay/relay-client.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'
import { sampleOffer } from '../../testing/relay/sample-offer.ts'

type Entered = Awaited<ReturnType<RunningRelay['enter']>>
type Json = Record<string, unknown>

let relay: RunningRelay
let roomNumber = 0
let room_name: string
let host: Entered

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

beforeEach(async () => {
  room_name = `roles-${++roomNumber}`
  host = await relay.enter({ room_name, user_name: 'Host', permissions: PERMISSIONS })
})
afterEach(() => {
  for (const client of relay.clients) client.drop()
})

const enter = (fields: Partial<RoomTokenGrant> = {}) => relay.enter({ room_name, ...fields })
const viewer = (fields: Partial<RoomTokenGrant> = {}) => enter({ join_as: 'audience', ...fields })

async function ask(asker: Entered, method: string, target: Entered | string, params: Json = {}) {
  const member_id = typeof target === 'string' ? target : target.call.memberId
  const room_session_id = asker.call.sessionId
  return (await asker.request(`video.member.${method}`, { room_session_id, member_id, ...params })).result
}
const promote = (target: Entered | string, params?: Json) => ask(host, 'promote', target, params)
const demote = (target: Entered | string, params?: Json) => ask(host, 'demote', target, params)

/** Joins with a new call, as the published client does when it was told. Then it hangs up the old one. */
async function follow(client: Entered, direction: 'sendrecv' | 'recvonly' = 'sendrecv') {
  const { callID } = client.call
  client.call = await client.join(undefined, {}, sampleOffer({ direction }))
  const { result } = await client.verto('verto.bye', { dialogParams: { callID } })
  expect(result).toMatchObject({ code: '200', result: { result: { message: 'CALL ENDED', callID } } })
}

const membersSeenBy = async (client: Entered) => {
  const { result } = await client.request('video.members.get', { room_session_id: client.call.sessionId })
  const members = (result?.members ?? []) as Json[]
  return members.map(({ name, type }) => `${name} ${type}`)
}
const saysAbout = (target: Entered) => ({
  right: ({ member }: Json) => (member as Json).id === target.call.memberId,
})
const roleEvents = ({ events }: RelayClient) =>
  events.filter(({ type }) => /^video\.member\.(pro|de)moted$/.test(type))
/** The directions of the last answer, one for each section. */
const answered = ({ events }: RelayClient) => {
  const answer = events.findLast(({ params }) => params.method === 'verto.answer')
  const { sdp } = (answer?.params.params ?? {}) as { sdp?: string }
  return sdp?.match(/^a=(sendrecv|sendonly|recvonly|inactive)/gm)
}

describe('promote', () => {
  test('answers, tells the target its whole authorization, and makes it a member with the same id', async () => {
    const fan = await viewer({ user_name: 'Fan' })
    const { memberId } = fan.call
    const meta = { team: 'red' }
    const permissions = ['room.set_layout', 'video.self.audio_mute']
    expect(await promote(fan, { permissions, meta, join_video_muted: true })).toEqual({
      code: '200',
      message: 'OK',
    })
    const told = await fan.event('video.member.promoted')
    const before = fan.session.authorization as Json
    expect(told).toEqual({
      room_id: expect.any(String),
      room_session_id: host.call.sessionId,
      member_id: memberId,
      authorization: {
        ...before,
        join_as: 'member',
        audio_allowed: 'both',
        video_allowed: 'both',
        room: { ...(before.room as Json), scopes: ['room.set_layout', 'room.self.audio_mute'] },
        meta,
      },
    })
    expect(await membersSeenBy(host)).toEqual(['Host member'])

    await follow(fan)
    expect(fan.call.memberId).toBe(memberId)
    expect(answered(fan)).toEqual(['a=sendrecv', 'a=sendrecv'])
    const { member } = await host.event('video.member.joined', saysAbout(fan))
    expect(member).toMatchObject({ type: 'member', audio_muted: false, video_muted: true, meta })
    expect(await host.event('video.room.audience_count', { right: ({ total }) => total === 0 })).toBeTruthy()
    expect(await membersSeenBy(fan)).toEqual(['Host member', 'Fan member'])
    const mute = { room_session_id: fan.call.sessionId, member_id: memberId }
    expect((await fan.request('video.member.audio_mute', mute)).result?.code).toBe('200')
    expect((await fan.request('video.member.deaf', mute)).result?.code).toBe('403')
    expect(fan.events.some(({ params }) => params.method === 'verto.bye')).toBe(false)
    expect(roleEvents(host)).toEqual([])
  })

  test.each([
    ['audio-only', 'both', 'receive', ['a=sendrecv', 'a=sendonly']],
    ['video-only', 'receive', 'both', ['a=sendonly', 'a=sendrecv']],
  ])('with %s allows to send that alone', async (media_allowed, audio_allowed, video_allowed, ways) => {
    const fan = await viewer()
    await promote(fan, { media_allowed })
    const { authorization } = await fan.event('video.member.promoted')
    expect(authorization).toMatchObject({ media_allowed, audio_allowed, video_allowed })
    await follow(fan)
    expect(answered(fan)).toEqual(ways)
  })

  test('without a list gives the permissions of a token without a list', async () => {
    const helper = await enter({ permissions: ['room.member.promote'] })
    const fan = await viewer()
    expect(await ask(helper, 'promote', fan)).toMatchObject({ code: '200' })
    const { authorization } = await fan.event('video.member.promoted')
    expect((authorization as { room: Json }).room.scopes).toEqual(DEFAULT_PERMISSIONS)
  })

  test('gives nothing that its caller does not have, and says what', async () => {
    const helper = await enter({ permissions: ['room.member.promote', 'room.lock'] })
    const fan = await viewer()
    const permissions = ['room.lock', 'room.recording', 'room.stream']
    expect(await ask(helper, 'promote', fan, { permissions })).toEqual({
      code: '403',
      message: expect.stringMatching(/^Permission denied: room\.recording\. /),
    })
    expect(await ask(helper, 'promote', fan, { permissions: ['room.lock'] })).toMatchObject({ code: '200' })
    await fan.event('video.member.promoted')
    expect(roleEvents(fan)).toHaveLength(1)
  })

  test.each([
    [{ permissions: ['room.fly'] }],
    [{ permissions: 'room.lock' }],
    [{ media_allowed: 'both' }],
    [{ join_audio_muted: 1 }],
    [{ meta: [] }],
    [{ meta: { long: 'x'.repeat(2000) } }],
    [{ member_id: 5 }],
  ])('with %j is refused as invalid, and nobody is told', async (params) => {
    const fan = await viewer()
    expect(await promote(fan, params)).toEqual({
      code: '400',
      message: expect.stringMatching(/^Invalid params: \w+/),
    })
    await fan.roundTrip()
    expect(roleEvents(fan)).toEqual([])
  })

  test('is refused without its permission, and nobody is told', async () => {
    const [helper, fan] = [await enter({ permissions: ['room.member.demote'] }), await viewer()]
    for (const [asker, method, target] of [
      [helper, 'promote', fan],
      [fan, 'promote', fan],
      [fan, 'demote', host],
    ] as const) {
      const permission = `Permission denied: room.member.${method}`
      expect(await ask(asker, method, target)).toEqual({ code: '403', message: permission })
    }
    for (const client of [host, fan]) {
      await client.roundTrip()
      expect(roleEvents(client)).toEqual([])
    }
  })

  test('of a member, of nobody, or twice is refused', async () => {
    const [guest, fan] = [await enter(), await viewer()]
    expect(await promote(guest)).toMatchObject({ code: '409', message: expect.stringContaining('audience') })
    expect(await promote('nobody')).toMatchObject({ code: '404' })
    expect(await promote(randomUUID())).toMatchObject({ code: '404' })
    expect(await promote(fan)).toMatchObject({ code: '200' })
    expect(await promote(fan)).toMatchObject({ code: '409', message: expect.stringContaining('promoted') })
    expect(await demote(fan)).toMatchObject({ code: '409' })
    expect(await demote(guest)).toMatchObject({ code: '200' })
    expect(await promote(guest)).toMatchObject({ code: '409', message: expect.stringContaining('demoted') })
  })

  test('is refused when the room is full', async () => {
    const room = await relay.addRoom({ name: `full-${roomNumber}`, max_members: 1 })
    const boss = await relay.enter({ room_name: room.name, permissions: PERMISSIONS })
    const fan = await relay.enter({ room_name: room.name, join_as: 'audience' })
    expect(await ask(boss, 'promote', fan)).toMatchObject({ code: '480' })
    await fan.roundTrip()
    expect(roleEvents(fan)).toEqual([])
  })
})

describe('demote', () => {
  test('takes rights, picture and shares, and leaves the person in the audience', async () => {
    const guest = await enter({ user_name: 'Guest', permissions: PERMISSIONS })
    const screen = await guest.verto('verto.invite', {
      dialogParams: {
        callID: 'screen',
        screenShare: true,
        userVariables: { memberCallId: guest.call.callID },
      },
      sdp: sampleOffer({ direction: 'sendonly' }),
    })
    expect(screen.result?.code).toBe('200')
    await host.event('video.member.joined', { right: ({ member }) => (member as Json).type === 'screen' })
    expect(await demote(guest, { media_allowed: 'audio-only' })).toMatchObject({ code: '200' })
    const { authorization, member_id } = await guest.event('video.member.demoted')
    expect(member_id).toBe(guest.call.memberId)
    expect(authorization).toMatchObject({
      type: 'video',
      join_as: 'audience',
      media_allowed: 'audio-only',
      audio_allowed: 'receive',
      video_allowed: 'none',
      room: { name: room_name, scopes: [] },
      scopes: ['video'],
    })
    expect(await ask(guest, 'demote', host)).toMatchObject({ code: '403' })

    const { memberId } = guest.call
    await follow(guest)
    // An ill-willed client offers to send all the same.
    expect(answered(guest)).toEqual(['a=sendonly', 'a=inactive'])
    expect(guest.call.memberId).toBe(memberId)
    await host.event('video.member.left', saysAbout(guest))
    const bye = guest.events.find(({ params }) => params.method === 'verto.bye')
    expect(bye?.params).toMatchObject({ params: { callID: 'screen' } })
    expect(await host.event('video.room.audience_count', { right: ({ total }) => total === 1 })).toBeTruthy()
    for (const client of [host, guest]) expect(await membersSeenBy(client)).toEqual(['Host member'])
    expect(await demote(guest)).toMatchObject({ code: '409' })
    expect(await promote(guest, { permissions: [] })).toMatchObject({ code: '200' })
    await follow(guest)
    expect(await membersSeenBy(host)).toEqual(['Host member', 'Guest member'])
  })

  test('of oneself is possible, and the answer comes first', async () => {
    expect(await demote(host)).toMatchObject({ code: '200' })
    await host.event('video.member.demoted')
    const told = host.frames.findIndex(
      ({ params }) => (params as Json | undefined)?.event_type === 'video.member.demoted',
    )
    expect(host.frames[told - 1]).toMatchObject({ result: { code: '200', message: 'OK' } })
    await follow(host, 'recvonly')
    expect(await membersSeenBy(host)).toEqual([])
    expect(await promote(host)).toMatchObject({ code: '403' })
  })
})

describe('coming back', () => {
  const resumeOf = (client: RelayClient & { session: Json }) => ({
    protocol: client.session.protocol,
    authorization_state: client.events.findLast(({ type }) => type === 'signalwire.authorization.state')
      ?.params.authorization_state,
  })
  const authorizationOf = ({ session }: { session: Json }) => session.authorization as Json & { room: Json }

  test('after a reload is with the new role, in the new call', async () => {
    const token = await relay.token({ room_name, join_as: 'audience' })
    const first = await relay.connectWith(token)
    const fan = Object.assign(first, { call: await first.join() })
    await promote(fan, { permissions: ['room.lock'] })
    await fan.event('video.member.promoted')
    await follow(fan)
    const resume = resumeOf(fan)
    fan.drop()
    const page = await relay.connectWith(token, resume)
    expect(authorizationOf(page)).toMatchObject({
      join_as: 'member',
      audio_allowed: 'both',
      room: { scopes: ['room.lock'] },
    })
    const call = await page.join(fan.call.callID)
    expect(call).toEqual(fan.call)
    expect(answered(page)).toEqual(['a=sendrecv', 'a=sendrecv'])
    expect(roleEvents(page)).toEqual([])
    const lock = await page.request('video.lock', { room_session_id: call.sessionId })
    expect(lock.result?.code).toBe('200')
  })

  test('in between: a reloaded page is told again, and follows', async () => {
    const token = await relay.token({ room_name, join_as: 'audience' })
    const first = await relay.connectWith(token)
    const fan = Object.assign(first, { call: await first.join() })
    await promote(fan)
    await fan.event('video.member.promoted')
    const resume = resumeOf(fan)
    fan.drop()
    const reloaded = await relay.connectWith(token, resume)
    expect(authorizationOf(reloaded)).toMatchObject({ join_as: 'audience', room: { scopes: [] } })
    await reloaded.roundTrip()
    const since = reloaded.events.length
    const page = Object.assign(reloaded, { call: await reloaded.join(fan.call.callID) })
    // Only a page that is in its call acts on it.
    await page.event('video.member.promoted', { since })
    await follow(page)
    expect(page.call.memberId).toBe(fan.call.memberId)
    expect(await membersSeenBy(page)).toHaveLength(2)
  })

  test('in between: a socket that was away when it was told is told then', async () => {
    const token = await relay.token({ room_name, join_as: 'audience' })
    const first = await relay.connectWith(token)
    const fan = Object.assign(first, { call: await first.join() })
    const resume = resumeOf(fan)
    fan.drop()
    await expect.poll(() => relay.surface.connectionCount).toBe(1)
    await promote(fan)
    const back = Object.assign(await relay.connectWith(token, resume), { call: fan.call })
    await back.event('video.member.promoted')
    await follow(back)
    expect(await membersSeenBy(back)).toHaveLength(2)
  })
})
