import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { LIVE_LAYOUTS } from '../../resources/layout-names.ts'
import { PERMISSIONS, type Permission } from '../../rooms/permissions.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'
import { sampleOffer } from '../../testing/relay/sample-offer.ts'

type Entered = Awaited<ReturnType<RunningRelay['enter']>>
type Layers = { member_id?: string; position: string }[]

let relay: RunningRelay
let room_name: string
let moderator: Entered
let guest: Entered

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

beforeEach(async () => {
  room_name = newId()
  moderator = await relay.enter({ room_name, user_name: 'Moderator', permissions: PERMISSIONS })
  guest = await relay.enter({ room_name, user_name: 'Guest', permissions: [] })
  await seesPlaces(moderator, { [guest.call.memberId]: 'standard-2' })
})

const ask = async (client: Entered, method: string, params: object = {}) =>
  (await client.request(method, { room_session_id: moderator.call.sessionId, ...params })).result

/** Waits for a layout in which these members have these positions. */
const seesPlaces = (client: Entered, positions: Record<string, string>, since = 0) =>
  client.event('video.layout.changed', {
    since,
    right: ({ layout }) => {
      const { layers } = layout as { layers: Layers }
      return Object.entries(positions).every(([id, position]) =>
        position === 'off-canvas'
          ? layers.every(({ member_id }) => member_id !== id)
          : layers.some((layer) => layer.member_id === id && layer.position === position),
      )
    },
  })

const positionsNow = async () => {
  const { members } = (await ask(guest, 'video.members.get')) as {
    members: { name: string; requested_position: string; current_position: string }[]
  }
  return members.map((one) => [one.name, one.requested_position, one.current_position])
}

test('all layouts are listed, and each can be set', async () => {
  expect((await ask(moderator, 'video.list_available_layouts'))?.layouts).toEqual(LIVE_LAYOUTS)
  for (const name of LIVE_LAYOUTS) {
    const since = guest.events.length
    expect((await ask(moderator, 'video.set_layout', { name }))?.code).toBe('200')
    if (name === 'grid-responsive') continue
    const { layout } = await guest.event('video.layout.changed', { since })
    expect(layout).toMatchObject({ id: name, name })
    const { room_session } = await guest.event('video.room.updated', { since })
    expect(room_session).toMatchObject({ updated: ['layout_name'], layout_name: name })
  }
})

test('a layout and positions are answered, and told to everybody', async () => {
  const since = guest.events.length
  const positions = { [guest.call.memberId]: 'reserved-1' }
  expect(await ask(moderator, 'video.set_layout', { name: '1up-top-left5', positions })).toEqual({
    code: '200',
    message: 'OK',
  })
  await seesPlaces(guest, { ...positions, [moderator.call.memberId]: 'standard-1' }, since)
  const { member } = await guest.event('video.member.updated', { since })
  expect(member).toMatchObject({
    id: guest.call.memberId,
    updated: ['requested_position', 'current_position'],
    requested_position: 'reserved-1',
    current_position: 'reserved-1',
    visible: true,
  })
  await guest.event('video.room.updated', { since })
  expect(guest.events.slice(since).filter(({ type }) => type === 'video.layout.changed')).toHaveLength(1)
})

test('positions are set for others, and for oneself', async () => {
  const host = await relay.enter({ room_name, user_name: 'Host', permissions: ['room.self.set_position'] })
  const { memberId } = host.call
  await ask(moderator, 'video.set_layout', { name: '2x2' })
  await ask(moderator, 'video.set_position', { positions: { [guest.call.memberId]: 'standard-4' } })
  expect(
    (await ask(host, 'video.member.set_position', { member_id: memberId, position: 'off-canvas' }))?.code,
  ).toBe('200')
  await seesPlaces(moderator, { [guest.call.memberId]: 'standard-4', [memberId]: 'off-canvas' })
  expect(await positionsNow()).toEqual([
    ['Moderator', 'auto', 'standard-1'],
    ['Guest', 'standard-4', 'standard-4'],
    ['Host', 'off-canvas', 'off-canvas'],
  ])
  const others = { member_id: guest.call.memberId, position: 'auto' }
  expect(await ask(host, 'video.member.set_position', others)).toEqual({
    code: '403',
    message: 'Permission denied: room.member.set_position',
  })
})

describe('refusals change nothing', () => {
  test.each([
    ['400', 'video.set_layout', { name: '7x7' }],
    ['400', 'video.set_layout', {}],
    ['400', 'video.set_layout', { name: '2x2', positions: { self: 'nowhere' } }],
    ['404', 'video.set_layout', { name: '2x2', positions: { self: 'auto' } }],
    ['400', 'video.set_position', {}],
    ['400', 'video.set_position', { positions: { x: 'standard-0' } }],
    ['400', 'video.set_position', { positions: { x: 7 } }],
    ['404', 'video.set_position', { positions: { x: 'standard-1' } }],
    ['400', 'video.member.set_position', { member_id: 'x', position: 'standard-1000' }],
    ['404', 'video.member.set_position', { member_id: 'x', position: 'standard-1' }],
  ])('%s: %s %j', async (code, method, params) => {
    const [before, since] = [await positionsNow(), guest.events.length]
    expect((await ask(moderator, method, params))?.code).toBe(code)
    expect(await positionsNow()).toEqual(before)
    expect(guest.events.slice(since)).toEqual([])
  })

  test.each([
    [['room.set_layout'], 'video.set_layout', { name: '2x2', positions: {} }, 'room.set_position'],
    [['room.set_position'], 'video.set_layout', { name: '2x2' }, 'room.set_layout'],
    [['room.set_layout'], 'video.set_position', { positions: {} }, 'room.set_position'],
  ] as [Permission[], string, object, string][])(
    'with %j alone, %s %j lacks %s',
    async (permissions, method, params, missing) => {
      const half = await relay.enter({ room_name, user_name: 'Half', permissions })
      const since = guest.events.length
      expect(await ask(half, method, params)).toEqual({
        code: '403',
        message: `Permission denied: ${missing}`,
      })
      expect((await positionsNow()).map(([, requested]) => requested)).toEqual(['auto', 'auto', 'auto'])
      expect(guest.events.slice(since).filter(({ type }) => type === 'video.room.updated')).toEqual([])
    },
  )

  test('the audience has no place', async () => {
    const viewer = await relay.enter({ room_name, user_name: 'Viewer', join_as: 'audience' })
    const positions = { [viewer.call.memberId]: 'standard-1' }
    expect((await ask(moderator, 'video.set_position', { positions }))?.code).toBe('404')
  })
})

describe('a screen share', () => {
  const share = async (client: Entered, fields: object) => {
    const dialogParams = {
      callID: newId(),
      screenShare: true,
      userVariables: { memberCallId: client.call.callID },
    }
    const sdp = sampleOffer({ order: ['video', 'audio'], direction: 'sendonly' })
    const { result } = await client.verto('verto.invite', { dialogParams, sdp, ...fields })
    return result?.code
  }
  const wish = { layout: 'screen-share', positions: { self: 'reserved-3' } }
  const screenOf = async (client: Entered) => {
    const { member } = await client.event('video.member.joined', {
      right: ({ member: one }) => (one as { type: string }).type === 'screen',
    })
    return member as { id: string; current_position: string }
  }

  test('brings its layout and position', async () => {
    expect(await share(moderator, wish)).toBe('200')
    const screen = await screenOf(guest)
    expect(screen.current_position).toBe('reserved-3')
    await seesPlaces(guest, { [screen.id]: 'reserved-3' })
    await guest.event('video.room.updated')
  })

  test('brings neither without the permissions', async () => {
    const host = await relay.enter({ room_name, user_name: 'Host', permissions: ['room.self.screenshare'] })
    expect(await share(host, { ...wish, layout: 'nonsense' })).toBe('200')
    const screen = await screenOf(guest)
    await seesPlaces(guest, { [screen.id]: 'standard-4' })
    expect(guest.events.some(({ type }) => type === 'video.room.updated')).toBe(false)
  })

  test('is refused with a layout or a position that there is not', async () => {
    expect(await share(moderator, { layout: 'nonsense' })).toBe('400')
    expect(await share(moderator, { positions: { self: 'top' } })).toBe('400')
    expect(await share(moderator, { positions: 'auto' })).toBe('400')
    expect((await positionsNow()).map(([name]) => name)).toEqual(['Moderator', 'Guest'])
  })
})

test('an extra microphone takes no tile', async () => {
  const offer = sampleOffer({ direction: 'sendonly' })
  const sdp = offer.replace(/(m=video.*a=msid:)stream /s, '$1- ')
  const dialogParams = {
    callID: newId(),
    additionalDevice: true,
    userVariables: { memberCallId: moderator.call.callID },
  }
  expect((await moderator.verto('verto.invite', { dialogParams, sdp })).result?.code).toBe('200')
  expect((await positionsNow()).at(-1)).toEqual(['Moderator', 'auto', 'off-canvas'])
})
