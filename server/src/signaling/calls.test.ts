import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../ids.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'
import { sampleOffer } from '../testing/relay/sample-offer.ts'

let relay: RunningRelay
let roomNumber = 0
const idsOf = (members: unknown) => (members as { id: string }[]).map(({ id }) => id)
const newRoomName = () => `room-${++roomNumber}`

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

describe('offers in quick succession', () => {
  test('are refused in words after a while, and the call goes on', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const codes: unknown[] = []
    for (let i = 0; i < 15; i++) {
      const params = { dialogParams: { callID: ada.call.callID }, action: 'updateMedia', sdp: sampleOffer() }
      codes.push((await ada.verto('verto.modify', params)).result)
    }
    expect(codes[0]).toMatchObject({ code: '200' })
    expect(codes.at(-1)).toMatchObject({ code: '429', message: expect.stringMatching(/offer again/) })
    const { result } = await ada.request('video.members.get', { room_session_id: ada.call.sessionId })
    expect(result).toMatchObject({ code: '200', members: [{ id: ada.call.memberId }] })
  })

  test('of many calls of a client count together', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const codes: unknown[] = []
    for (let i = 0; i < 30; i++) {
      const dialogParams = { callID: `share-${i}`, screenShare: true }
      codes.push((await ada.verto('verto.invite', { dialogParams, sdp: sampleOffer() })).result?.code)
    }
    expect(codes.at(-1)).toBe('429')
  })

  test('may be as large as they may: the key in them is found at once', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const sdp = `v=0\r\na=fingerprint:${' '.repeat(65_000)}x`
    const startedAt = performance.now()
    await ada.verto('verto.invite', { dialogParams: { callID: ada.call.callID }, sdp })
    expect(performance.now() - startedAt).toBeLessThan(500)
  })
})

describe('verto.invite', () => {
  test('is answered in the order that the browser client needs', async () => {
    const ada = await relay.connect({ room_name: newRoomName() })
    const before = ada.frames.length
    const { callID } = await ada.join()
    const order = ada.frames.slice(before).map((frame) => {
      const params = frame.params as { event_type: string; params: { method?: string } } | undefined
      return params ? (params.params.method ?? params.event_type) : 'result'
    })
    expect(order).toEqual([
      'result',
      'verto.answer',
      'signalwire.authorization.state',
      'video.room.subscribed',
      'video.member.updated',
      'video.member.joined',
      'video.layout.changed',
    ])
    const [result] = ada.frames.slice(before) as {
      result: { node_id: string; result: { result: unknown } }
    }[]
    expect(result?.result).toMatchObject({
      code: '200',
      node_id: expect.any(String),
      result: { jsonrpc: '2.0', result: { message: 'CALL CREATED', callID } },
    })
  })

  test('is told who and what is there', async () => {
    const room_name = newRoomName()
    const ada = await relay.enter({ room_name, meta: { seat: 1 } })
    const bob = await relay.enter({ room_name, user_name: 'Bob', join_audio_muted: true })
    const subscribed = await bob.event('video.room.subscribed')
    expect(subscribed).toMatchObject({
      call_id: bob.call.callID,
      member_id: bob.call.memberId,
      room_session: {
        id: bob.call.sessionId,
        name: room_name,
        event_channel: expect.any(String),
        layout_name: 'grid-responsive',
        recordings: [],
        members: [
          { id: ada.call.memberId, name: 'Ada', type: 'member', parent_id: '', meta: { seat: 1 } },
          { id: bob.call.memberId, name: 'Bob', audio_muted: true, visible: true },
        ],
      },
      room: { room_session_id: bob.call.sessionId, room_id: expect.any(String) },
    })
    const joined = await ada.event('video.member.joined', {
      right: ({ member }) => (member as { id: string }).id === bob.call.memberId,
    })
    expect(joined).toMatchObject({ room_session_id: bob.call.sessionId })
    const { layout } = await ada.event('video.layout.changed', { since: ada.events.length - 1 })
    expect((layout as { layers: { member_id: string }[] }).layers.map(({ member_id }) => member_id)).toEqual([
      ada.call.memberId,
      bob.call.memberId,
    ])
  })

  test.each([[['audio', 'video']], [['video', 'audio']]] as const)(
    'of %j is answered with audio first',
    async (order) => {
      const ada = await relay.connect({ room_name: newRoomName() })
      await ada.join(newId(), {}, sampleOffer({ order }))
      const { sdp } = (await ada.vertoEvent('verto.answer')).params as { sdp: string }
      expect([...sdp.matchAll(/^m=(\w+)/gm)].map(([, kind]) => kind)).toEqual(['audio', 'video'])
      expect(sdp).toMatch(/[^\n]\r\n$/)
    },
  )

  test('with an offer that is none is refused, and the seat is free again', async () => {
    const room_name = newRoomName()
    await relay.addRoom({ name: room_name, max_members: 1 })
    const ada = await relay.connect({ room_name })
    const invite = (sdp: string) => ada.verto('verto.invite', { dialogParams: { callID: newId() }, sdp })
    expect((await invite('this is no SDP')).result).toMatchObject({
      code: '500',
      message: /could not be set up/,
    })
    expect((await invite(sampleOffer())).result?.code).toBe('200')
  })

  test('into a full room is refused', async () => {
    const room_name = newRoomName()
    await relay.addRoom({ name: room_name, max_members: 1 })
    await relay.enter({ room_name })
    const bob = await relay.connect({ room_name })
    await expect(bob.join()).rejects.toThrow(/"480".*The room is full/)
    const viewer = await relay.connect({ room_name, join_as: 'audience' })
    await viewer.join(newId(), {}, sampleOffer({ direction: 'recvonly' }))
    expect(await viewer.event('video.room.audience_count')).toMatchObject({ total: 1 })
  })

  test('into a locked room is refused', async () => {
    const room_name = newRoomName()
    const ada = await relay.enter({ room_name, permissions: ['room.lock'] })
    await ada.request('video.lock', { room_session_id: ada.call.sessionId })
    expect(await ada.event('video.room.updated')).toMatchObject({
      room_session: { updated: ['locked'], locked: true },
    })
    const bob = await relay.connect({ room_name })
    await expect(bob.join()).rejects.toThrow(/"423".*locked/)
  })

  test('into a locked room is answered for who was in: after a drop, a reload, and a lost seat', async () => {
    const room_name = newRoomName()
    const ada = await relay.enter({ room_name, permissions: ['room.lock'] })
    const token = await relay.token({ room_name })
    const bob = await relay.connectWith(token)
    const { callID, memberId } = await bob.join()
    await ada.request('video.lock', { room_session_id: ada.call.sessionId })
    const states = bob.events.filter(({ type }) => type === 'signalwire.authorization.state')
    bob.drop()
    const again = await relay.connectWith(token, {
      protocol: bob.session.protocol,
      authorization_state: states.at(-1)?.params.authorization_state,
    })
    expect((await again.join(callID, {}, sampleOffer())).memberId).toBe(memberId)
    again.drop()
    await ada.event('video.member.left', { waitMs: 8000 })
    const later = await relay.connectWith(token)
    expect((await later.join()).memberId).not.toBe(memberId)
  })

  test.each([{}, { sdp: 'x' }, { dialogParams: {}, sdp: 'x' }, { dialogParams: { callID: 5 }, sdp: 'x' }])(
    'with %j is refused as invalid',
    async (params) => {
      const ada = await relay.connect()
      expect((await ada.verto('verto.invite', params)).result?.code).toBe('400')
    },
  )

  test('twice at once takes one seat', async () => {
    const room_name = newRoomName()
    await relay.addRoom({ name: room_name, max_members: 2 })
    const ada = await relay.connect({ room_name })
    await Promise.all([ada.join('one'), ada.join('two')])
    const sessionId = relay.registry.sessions.find(({ name }) => name === room_name)?.id
    const { result } = await ada.request('video.members.get', { room_session_id: sessionId })
    expect(result?.members).toHaveLength(1)
    expect(await ada.vertoEvent('verto.bye')).toMatchObject({ params: { cause: 'PICKED_OFF' } })
  })

  test('with a token that has expired since is refused', async () => {
    const expiresAt = Date.now() + 1500
    const ada = await relay.connect({ issued_at: expiresAt - 24 * 3600_000 })
    // Tokens expire at a whole second.
    await expect.poll(() => Date.now(), { timeout: 4000 }).toBeGreaterThan(expiresAt + 1000)
    await expect(ada.join()).rejects.toThrow(/"403".*expired/)
  })

  test('of two clients with one call id does not mix them up', async () => {
    const room_name = newRoomName()
    const [ada, bob] = [await relay.connect({ room_name }), await relay.connect({ room_name })]
    const [one, other] = [await ada.join('the-same'), await bob.join('the-same')]
    expect(one.memberId).not.toBe(other.memberId)
    await bob.verto('verto.bye', { dialogParams: { callID: 'the-same' } })
    const { result } = await ada.request('video.members.get', { room_session_id: one.sessionId })
    expect(idsOf(result?.members)).toEqual([one.memberId])
  })
})

describe('a screen share', () => {
  const share = (memberCallId: string) => ({
    screenShare: true,
    userVariables: { memberCallId, memberId: 'whatever' },
  })

  test('is a member of its own, told to its owner too, and ends with it', async () => {
    const room_name = newRoomName()
    const [ada, bob] = [await relay.enter({ room_name }), await relay.enter({ room_name, user_name: 'Bob' })]
    const callID = newId()
    const offer = sampleOffer({ order: ['video', 'audio'], direction: 'sendonly' })
    await ada.join(callID, share(ada.call.callID), offer)
    const isScreen = ({ member }: Record<string, unknown>) => (member as { type: string }).type === 'screen'
    for (const client of [ada, bob]) {
      const { member } = await client.event('video.member.joined', { right: isScreen })
      expect(member).toMatchObject({ parent_id: ada.call.memberId, name: 'Ada' })
    }
    expect(ada.events.filter(({ type }) => type === 'video.room.subscribed')).toHaveLength(1)
    const { member } = await bob.event('video.member.joined', { right: isScreen })
    const ofScreen = { room_session_id: ada.call.sessionId, member_id: (member as { id: string }).id }
    // The owner may act on its screen share as on itself. For others it is like any other member.
    expect((await ada.request('video.member.video_mute', ofScreen)).result?.code).toBe('200')
    expect((await bob.request('video.member.video_mute', ofScreen)).result).toMatchObject({
      code: '403',
      message: 'Permission denied: room.member.video_mute',
    })
    await ada.verto('verto.bye', { dialogParams: { callID: ada.call.callID } })
    expect(await ada.vertoEvent('verto.bye')).toMatchObject({ params: { callID } })
    await expect.poll(() => bob.events.filter(({ type }) => type === 'video.member.left').length).toBe(2)
  })

  test('needs its permission, and a call to belong to', async () => {
    const ada = await relay.enter({ room_name: newRoomName(), permissions: ['room.self.additional_source'] })
    const invite = (dialog: object) =>
      ada.verto('verto.invite', { dialogParams: { callID: newId(), ...dialog }, sdp: sampleOffer() })
    expect((await invite(share(ada.call.callID))).result).toMatchObject({
      code: '403',
      message: 'Permission denied: room.self.screenshare',
    })
    const device = { additionalDevice: true, userVariables: { memberCallId: ada.call.callID } }
    expect((await invite(device)).result?.code).toBe('200')
    expect((await invite({ ...device, userVariables: { memberCallId: 'unknown' } })).result?.code).toBe('404')
  })

  test('cannot be multiplied without end', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const codes: unknown[] = []
    for (let i = 0; i < 10; i++) {
      const dialogParams = { callID: newId(), ...share(ada.call.callID) }
      const { result } = await ada.verto('verto.invite', { dialogParams, sdp: sampleOffer() })
      codes.push(result?.code)
    }
    expect(codes).toEqual([...Array(8).fill('200'), '480', '480'])
  })

  test('cannot be multiplied all at once either', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const shares = Array.from({ length: 12 }, async () => {
      const dialogParams = { callID: newId(), ...share(ada.call.callID) }
      return (await ada.verto('verto.invite', { dialogParams, sdp: sampleOffer() })).result?.code
    })
    expect((await Promise.all(shares)).filter((code) => code === '200')).toHaveLength(8)
  })

  test('ends when its page is loaded anew, and not when its call is only renewed', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const callID = newId()
    await ada.join(callID, share(ada.call.callID))
    const memberTypes = async () => {
      const { result } = await ada.request('video.members.get', { room_session_id: ada.call.sessionId })
      const members = result?.members as { type: string }[]
      return members.map(({ type }) => type)
    }
    const offer = sampleOffer()
    await ada.join(ada.call.callID, {}, offer)
    expect(await memberTypes()).toEqual(['member'])
    await ada.join(newId(), share(ada.call.callID))
    await ada.join(ada.call.callID, {}, offer)
    expect(await memberTypes()).toEqual(['member', 'screen'])
  })
})

describe('other call messages', () => {
  test('are answered, whatever they are', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const dialogParams = { callID: ada.call.callID }
    const inner = async (method: string, params: object) =>
      (await ada.verto(method, { dialogParams, ...params })).result
    expect(await inner('verto.info', { dtmf: '12#' })).toMatchObject({
      code: '200',
      result: { result: { message: 'SENT' } },
    })
    expect(await inner('verto.modify', { action: 'updateMedia', sdp: sampleOffer() })).toMatchObject({
      result: { result: { action: 'updateMedia', sdp: expect.stringMatching(/^v=0/) } },
    })
    expect(await inner('verto.modify', { action: 'dance' })).toMatchObject({ code: '400' })
    expect(await inner('verto.dance', {})).toMatchObject({ code: '400' })
    expect(await inner('verto.pong', {})).toMatchObject({ code: '200' })
    const acknowledgement = { jsonrpc: '2.0', id: '801', result: { method: 'verto.answer' } }
    expect((await ada.request('video.message', { message: acknowledgement })).result).toMatchObject({
      code: '200',
    })
    expect((await ada.request('video.message', {})).result).toMatchObject({ code: '400' })
  })

  test('hold a call until it is unheld, through new offers, but not into a new page', async () => {
    const ada = await relay.enter({ room_name: newRoomName() })
    const dialogParams = { callID: ada.call.callID }
    const modify = async (action: string, sdp?: string) => {
      const { result } = await ada.verto('verto.modify', { dialogParams, action, ...(sdp && { sdp }) })
      return result?.result
    }
    const isHeld = () =>
      relay.registry.sessions.find(({ id }) => id === ada.call.sessionId)?.member(ada.call.memberId)?.held
    const since = ada.events.length
    expect(await modify('hold')).toMatchObject({ result: { action: 'hold', holdState: 'held' } })
    expect(isHeld()).toBe(true)
    expect(await modify('updateMedia', sampleOffer())).toMatchObject({ result: { holdState: 'held' } })
    expect(isHeld()).toBe(true)
    expect(await modify('unhold')).toMatchObject({ result: { holdState: 'active' } })
    expect(isHeld()).toBe(false)
    await ada.roundTrip()
    expect(ada.events.slice(since).map(({ type }) => type)).not.toContain('video.member.updated')

    await modify('hold')
    await ada.join(ada.call.callID, {}, sampleOffer())
    await expect.poll(isHeld).toBe(false)
  })

  test('on a call that is not there are refused, but a bye is not', async () => {
    const ada = await relay.connect()
    const dialogParams = { callID: newId() }
    expect((await ada.verto('verto.modify', { dialogParams, action: 'hold' })).result?.code).toBe('404')
    expect((await ada.verto('verto.info', { dialogParams, dtmf: '1' })).result?.code).toBe('404')
    expect((await ada.verto('verto.bye', { dialogParams })).result?.code).toBe('200')
  })
})

describe('the end of a session', () => {
  test('by its token reaches everybody as an event and a bye', async () => {
    const room_name = newRoomName()
    const host = await relay.enter({ room_name, end_room_session_on_leave: true })
    const bob = await relay.enter({ room_name, user_name: 'Bob' })
    await host.verto('verto.bye', { dialogParams: { callID: host.call.callID } })
    expect(await bob.event('video.room.ended')).toMatchObject({ room_session: { id: bob.call.sessionId } })
    expect(await bob.vertoEvent('verto.bye')).toMatchObject({
      params: { callID: bob.call.callID, cause: 'NORMAL_CLEARING', causeCode: 16 },
    })
    expect(
      (await bob.request('video.members.get', { room_session_id: bob.call.sessionId })).result?.code,
    ).toBe('404')
    await bob.join()
  })

  test('by a killed media worker ends the calls, and the room can be joined again at once', async () => {
    const room_name = newRoomName()
    const ada = await relay.enter({ room_name })
    const [session] = relay.registry.sessions.filter(({ name }) => name === room_name)
    process.kill(await mediaWorkerPid(), 'SIGKILL')
    expect(await ada.vertoEvent('verto.bye')).toMatchObject({
      params: { callID: ada.call.callID, cause: 'NORMAL_TEMPORARY_FAILURE' },
    })
    const again = await ada.join()
    expect(again.sessionId).not.toBe(ada.call.sessionId)
    expect(session?.isEnded).toBe(true)
    const stored = await relay.storage.sessions.find(relay.projectId, ada.call.sessionId)
    expect(stored?.status).toBe('completed')
  }, 20_000)
})

/**
 * The process id of the media worker. This file's relay has one, and this process also has a child that watches over
 * it.
 */
async function mediaWorkerPid(): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  for (const pid of children.trim().split(' ')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    if (command.includes('media-worker/main.ts')) return Number(pid)
  }
  throw new Error('there is no media worker')
}
