import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../ids.ts'
import { PERMISSIONS, ROOM_METHOD_NAMES } from '../../rooms/permissions.ts'
import type { RelayClient } from '../../testing/relay/relay-client.ts'
import { RunningRelay } from '../../testing/relay/running-relay.ts'
import { ROOM_METHODS } from './room-methods.ts'

type Entered = Awaited<ReturnType<RunningRelay['enter']>>

let relay: RunningRelay
let roomNumber = 0
let moderator: Entered
let guest: Entered

beforeAll(async () => {
  relay = await RunningRelay.open()
}, 30_000)
afterAll(() => relay.close())

beforeEach(async () => {
  const room_name = `room-${++roomNumber}`
  moderator = await relay.enter({ room_name, user_name: 'Moderator', permissions: PERMISSIONS })
  guest = await relay.enter({ room_name, user_name: 'Guest', permissions: [] })
  await moderator.event('video.layout.changed', {
    right: ({ layout }) => (layout as { layers: unknown[] }).layers.length === 2,
  })
})
afterEach(() => {
  for (const client of [moderator, guest]) client.drop()
})

const on = (client: RelayClient, params: object = {}) => ({
  room_session_id: moderator.call.sessionId,
  member_id: (client as Entered).call.memberId,
  ...params,
})

/** Valid parameters for each method. */
const GOOD: Record<string, object> = {
  'video.member.set_input_volume': { volume: -10 },
  'video.member.set_output_volume': { volume: 10 },
  'video.member.set_input_sensitivity': { value: 20 },
  'video.set_layout': { name: '2x2', positions: {} },
  'video.set_position': { positions: {} },
  'video.member.set_position': { position: 'reserved-1' },
  'video.recording.pause': { recording_id: 'r' },
  'video.recording.resume': { recording_id: 'r' },
  'video.recording.stop': { recording_id: 'r' },
  'video.playback.start': { url: 'http://127.0.0.1:9/film.mp4' },
  'video.playback.pause': { playback_id: 'p' },
  'video.playback.resume': { playback_id: 'p' },
  'video.playback.stop': { playback_id: 'p' },
  'video.playback.set_volume': { playback_id: 'p', volume: 10 },
  'video.playback.seek_absolute': { playback_id: 'p', position: 1000 },
  'video.playback.seek_relative': { playback_id: 'p', position: -1000 },
  'video.set_meta': { meta: { a: 1 } },
  'video.update_meta': { meta: { a: 1 } },
  'video.delete_meta': { keys: ['a'] },
  'video.member.set_meta': { meta: { a: 1 } },
  'video.member.update_meta': { meta: { a: 1 } },
  'video.member.delete_meta': { keys: ['a'] },
  'video.prioritize_handraise': { enable: true },
  'video.react': { reaction: '👍' },
  'video.stream.start': { url: 'rtmp://127.0.0.1:9/app' },
  'video.stream.stop': { stream_id: 's' },
}
const FREE = new Set(['video.members.get', 'video.member.get_meta', 'video.get_meta', 'video.react'])

describe('every room method', () => {
  test('has a permission rule', () => {
    for (const name of ROOM_METHODS.keys()) expect(ROOM_METHOD_NAMES).toContain(name)
  })

  test.each(['oneself', 'others'])(
    'is refused without its permission, on %s, and changes nothing',
    async (whom) => {
      const target = whom === 'oneself' ? guest : moderator
      for (const name of ROOM_METHODS.keys()) {
        const { result } = await guest.request(name, on(target, GOOD[name]))
        if (FREE.has(name)) expect(result?.code, name).toBe('200')
        else
          expect(result, name).toEqual({
            code: '403',
            message: expect.stringMatching(/^Permission denied: room\./),
          })
      }
      const { result } = await guest.request('video.members.get', on(guest))
      expect(result?.members).toMatchObject([
        { audio_muted: false, video_muted: false, deaf: false, input_volume: 0 },
        { audio_muted: false, video_muted: false, deaf: false, input_volume: 0 },
      ])
    },
  )

  // A case each, because a client that asks too often is refused for that.
  test.each([
    { member_id: newId() },
    { member_id: 7, volume: 'loud', value: {}, meta: 1, keys: 1 },
    { member_id: undefined },
    { room_session_id: newId() },
    { room_session_id: undefined },
  ])('is refused without its permission, whatever else is wrong: %j', async (wrong) => {
    const since = moderator.events.length
    for (const name of ROOM_METHODS.keys()) {
      if (FREE.has(name)) continue
      const { result } = await guest.request(name, on(guest, wrong))
      expect(result?.code, name).toBe('403')
    }
    await moderator.roundTrip()
    expect(moderator.events.slice(since)).toEqual([])
  })

  test('on one’s own member alone is judged by what it names', async () => {
    const ada = await relay.enter({
      room_name: `room-${roomNumber}`,
      user_name: 'Ada',
      permissions: ['room.self.deaf'],
    })
    const code = async (params: object) =>
      (await ada.request('video.member.deaf', on(ada, params))).result?.code
    expect(await code({ member_id: guest.call.memberId })).toBe('403')
    expect(await code({ member_id: newId() })).toBe('403')
    expect(await code({ member_id: undefined })).toBe('400')
    expect(await code({ room_session_id: newId() })).toBe('404')
    expect(await code({})).toBe('200')
    ada.drop()
  })

  test('is refused for a session that is not the caller’s', async () => {
    for (const name of ROOM_METHODS.keys()) {
      const elsewhere = on(guest, { ...GOOD[name], room_session_id: 'another' })
      expect((await moderator.request(name, elsewhere)).result?.code, name).toBe('404')
    }
  })

  test('that is not served yet is answered as unknown', async () => {
    for (const name of ROOM_METHOD_NAMES.filter((known) => !ROOM_METHODS.has(known))) {
      expect((await moderator.request(name, on(guest))).error?.code, name).toBe(-32601)
    }
  })
})

describe('reactions', () => {
  const react = async (client: Entered, reaction: unknown) =>
    (await client.request('video.react', on(client, { reaction }))).result

  test('are told to everybody, and who comes later hears nothing of them', async () => {
    expect(await react(moderator, '🎉')).toEqual({ code: '200', message: 'OK' })
    const shown = { reaction: '🎉', member: { id: moderator.call.memberId, name: 'Moderator' } }
    expect(await guest.event('video.member.reacted')).toMatchObject(shown)
    expect(await moderator.event('video.member.reacted')).toMatchObject(shown)
    const late = await relay.enter({ room_name: `room-${roomNumber}`, user_name: 'Late' })
    await late.roundTrip()
    expect(late.events.map(({ type }) => type)).not.toContain('video.member.reacted')
    late.drop()
  })

  test.each(['👎', '<b>', '', '👍👍', 7, null, undefined])('are five, and %j is none', async (reaction) => {
    expect((await react(moderator, reaction))?.code).toBe('400')
  })

  test('are limited for each member', async () => {
    const codes = await Promise.all(
      Array.from({ length: 8 }, async () => (await react(moderator, '👏'))?.code),
    )
    expect(codes).toEqual([...Array<string>(5).fill('200'), ...Array<string>(3).fill('429')])
    await guest.roundTrip()
    expect(guest.events.filter(({ type }) => type === 'video.member.reacted')).toHaveLength(5)
  })
})

test('a moderator ends the session for everybody, and nobody is refused afterwards', async () => {
  expect((await moderator.request('video.end', on(moderator))).result?.code).toBe('200')
  await guest.event('video.room.ended')
  const { sessionId, memberId } = moderator.call
  await expect
    .poll(async () => (await relay.storage.sessions.find(relay.projectId, sessionId))?.status)
    .toBe('completed')
  const { rows } = await relay.storage.events.list(relay.projectId, { sessionId }, { limit: 50 })
  expect(rows.find(({ name }) => name === 'room.ended')?.payload).toMatchObject({
    reason: 'ended_by_member',
    member_id: memberId,
    member_name: 'Moderator',
  })
  const again = await relay.enter({ room_name: `room-${roomNumber}`, user_name: 'Guest' })
  expect(again.call.sessionId).not.toBe(sessionId)
  again.drop()
})

describe('a method on a member', () => {
  test.each([
    ['video.member.audio_mute', {}, { audio_muted: true }, ['audio_muted']],
    ['video.member.video_mute', {}, { video_muted: true, visible: false }, ['video_muted', 'visible']],
    ['video.member.deaf', {}, { deaf: true, audio_muted: true }, ['deaf', 'audio_muted']],
    ['video.member.set_input_volume', { volume: -50 }, { input_volume: -50 }, ['input_volume']],
    ['video.member.set_output_volume', { volume: 50 }, { output_volume: 50 }, ['output_volume']],
    ['video.member.set_input_sensitivity', { value: 0 }, { input_sensitivity: 0 }, ['input_sensitivity']],
    ['video.member.raisehand', {}, { handraised: true }, ['handraised']],
    ['video.member.set_meta', { meta: { a: { b: [1] } } }, { meta: { a: { b: [1] } } }, ['meta']],
  ])(
    '%s is answered, then told to everybody with the whole member',
    async (name, params, fields, updated) => {
      const before = moderator.frames.length
      const since = guest.events.length
      const { result } = await moderator.request(name, on(guest, params))
      expect(result).toEqual({ code: '200', message: 'OK' })
      const { member } = await guest.event('video.member.updated', { since })
      expect(member).toMatchObject({
        id: guest.call.memberId,
        name: 'Guest',
        updated,
        ...fields,
        talking: false,
      })
      expect(moderator.frames[before]).toMatchObject({ result: { code: '200' } })
    },
  )

  test('undoes what another did', async () => {
    for (const [mute, unmute, field] of [
      ['audio_mute', 'audio_unmute', 'audio_muted'],
      ['video_mute', 'video_unmute', 'video_muted'],
      ['deaf', 'undeaf', 'deaf'],
    ] as const) {
      const isNow = (value: boolean) => (params: Record<string, unknown>) =>
        (params.member as Record<string, unknown>)[field] === value
      await moderator.request(`video.member.${mute}`, on(guest))
      await guest.event('video.member.updated', { right: isNow(true) })
      const since = guest.events.length
      await moderator.request(`video.member.${unmute}`, on(guest))
      await guest.event('video.member.updated', { since, right: isNow(false) })
    }
  })

  test.each([
    ['video.member.set_input_volume', { volume: 51 }],
    ['video.member.set_input_volume', { volume: '1' }],
    ['video.member.set_output_volume', {}],
    ['video.member.set_input_sensitivity', { value: -1 }],
    ['video.member.audio_mute', { member_id: 7 }],
    ['video.member.set_meta', {}],
    ['video.member.set_meta', { meta: [] }],
    ['video.member.update_meta', { meta: 'x' }],
    ['video.member.update_meta', { meta: { text: 'x'.repeat(2000) } }],
    ['video.member.delete_meta', { keys: 'a' }],
    ['video.member.delete_meta', { keys: [1] }],
    ['video.set_meta', { meta: null }],
    ['video.set_meta', { meta: { text: 'x'.repeat(2000) } }],
    ['video.delete_meta', {}],
    ['video.prioritize_handraise', {}],
    ['video.prioritize_handraise', { enable: 'yes' }],
    ['video.member.audio_mute', { member_id: '' }],
    ['video.recording.stop', {}],
    ['video.playback.start', {}],
    ['video.playback.start', { url: 'http://127.0.0.1:9/a', volume: 51 }],
    ['video.playback.set_volume', { playback_id: 'p', volume: -51 }],
    ['video.playback.seek_absolute', { playback_id: 'p', position: -1 }],
    ['video.playback.seek_relative', { playback_id: 'p', position: 'far' }],
  ])('%s with %j is refused as invalid', async (name, params) => {
    const { result } = await moderator.request(name, on(guest, params))
    expect(result).toEqual({ code: '400', message: expect.stringMatching(/^Invalid params: \w+/) })
  })

  test('that is not there is refused', async () => {
    const nobody = on(guest, { member_id: 'nobody' })
    for (const [name, params] of [
      ['video.member.audio_mute', {}],
      ['video.member.get_meta', {}],
      ['video.member.raisehand', {}],
      ['video.member.lowerhand', {}],
      ['video.member.set_meta', { meta: {} }],
      ['video.member.update_meta', { meta: {} }],
      ['video.member.delete_meta', { keys: [] }],
    ] as const)
      expect((await moderator.request(name, { ...nobody, ...params })).result?.code, name).toBe('404')
  })

  test('removes it: it is told by a bye, the others by an event', async () => {
    await moderator.request('video.member.remove', on(guest))
    expect(await guest.vertoEvent('verto.bye')).toMatchObject({
      params: { callID: guest.call.callID, cause: 'MANAGER_REQUEST' },
    })
    const { member } = await moderator.event('video.member.left')
    expect(member).toMatchObject({ id: guest.call.memberId, type: 'member' })
  })

  test('removes all, the caller included, after it was answered', async () => {
    const all = on(guest, { member_id: 'all' })
    expect((await guest.request('video.member.remove', all)).result?.code).toBe('403')
    expect((await moderator.request('video.member.remove', all)).result?.code).toBe('200')
    await Promise.all([guest.vertoEvent('verto.bye'), moderator.vertoEvent('verto.bye')])
  })
})

describe('a method on the room', () => {
  const inRoom = (params: object = {}) => ({ room_session_id: moderator.call.sessionId, ...params })

  test.each([
    ['video.hide_video_muted', {}, { hide_video_muted: true }],
    ['video.prioritize_handraise', { enable: true }, { prioritize_handraise: true }],
    ['video.lock', {}, { locked: true }],
    ['video.set_meta', { meta: { a: { b: [1, null] } } }, { meta: { a: { b: [1, null] } } }],
  ])('%s is answered, then told to everybody and to newcomers', async (name, params, fields) => {
    const before = moderator.frames.length
    const since = guest.events.length
    expect((await moderator.request(name, inRoom(params))).result).toEqual({ code: '200', message: 'OK' })
    const { room, room_session } = await guest.event('video.room.updated', { since })
    expect(room).toMatchObject({ ...fields, updated: Object.keys(fields) })
    expect(room_session).toMatchObject({ ...fields, updated: Object.keys(fields) })
    expect(moderator.frames[before]).toMatchObject({ result: { code: '200' } })
    await moderator.request('video.unlock', inRoom())
    const eve = await relay.enter({ room_name: `room-${roomNumber}`, user_name: 'Eve' })
    const { room_session: seen } = await eve.event('video.room.subscribed')
    expect(seen).toMatchObject({ ...fields, ...('locked' in fields && { locked: false }) })
    eve.drop()
  })

  test('changes its meta by keys: update replaces them, delete drops them', async () => {
    const meta = async () => (await guest.request('video.get_meta', inRoom())).result?.meta
    await moderator.request('video.set_meta', inRoom({ meta: { a: { b: 1 }, c: 2 } }))
    await moderator.request('video.update_meta', inRoom({ meta: { a: { d: 3 }, e: null } }))
    expect(await meta()).toEqual({ a: { d: 3 }, c: 2, e: null })
    await moderator.request('video.delete_meta', inRoom({ keys: ['a', 'e', 'unknown'] }))
    expect(await meta()).toEqual({ c: 2 })
    const since = guest.events.length
    await moderator.request('video.delete_meta', inRoom({ keys: ['unknown'] }))
    await guest.roundTrip()
    expect(guest.events.slice(since)).toEqual([])
  })
})

describe('meta of a member', () => {
  test('is changed with the permission for oneself, for others, or for the room', async () => {
    const room_name = `room-${roomNumber}`
    const may = async (permission: string, member: 'self' | 'other', method: string) => {
      const user = await relay.enter({ room_name, permissions: [permission] })
      const params = on(member === 'self' ? user : guest, { meta: { a: 1 }, keys: ['a'] })
      const { result } = await user.request(`video.member.${method}_meta`, params)
      user.drop()
      return result?.code
    }
    expect(await may('room.self.set_meta', 'self', 'set')).toBe('200')
    expect(await may('room.self.set_meta', 'other', 'set')).toBe('403')
    expect(await may('room.member.set_meta', 'other', 'delete')).toBe('200')
    expect(await may('video.member.set_meta', 'self', 'update')).toBe('403')
    expect(await may('room.set_meta', 'other', 'update')).toBe('200')
    expect(await may('room.set_meta', 'self', 'delete')).toBe('200')
  })
})

describe('lists', () => {
  test('are what there is', async () => {
    const members = (await guest.request('video.members.get', on(guest))).result?.members
    expect(members).toMatchObject([{ name: 'Moderator' }, { name: 'Guest', current_position: 'standard-2' }])
    const { layouts } = (await moderator.request('video.list_available_layouts', on(guest))).result ?? {}
    expect(layouts).toContain('grid-responsive')
    expect((await guest.request('video.get_meta', on(guest))).result?.meta).toEqual({})
    expect((await moderator.request('video.recording.list', on(guest))).result?.recordings).toEqual([])
  })
})

describe('recordings', () => {
  test('are started, paused, resumed, stopped and listed, and told to those who may record', async () => {
    const inSession = { room_session_id: moderator.call.sessionId }
    const started = (await moderator.request('video.recording.start', inSession)).result?.recording as {
      id: string
    }
    expect(started).toMatchObject({ state: 'recording', started_at: expect.any(Number), ended_at: null })
    expect(await moderator.event('video.recording.started')).toMatchObject({ recording: started })
    expect((await moderator.request('video.recording.start', inSession)).result?.code).toBe('409')
    const isAnswer = (frame: Record<string, unknown>) => (frame.result as { code?: string })?.code === '200'
    const isTold = ({ params }: Record<string, unknown>) =>
      (params as { event_type?: string })?.event_type?.startsWith('video.recording.')
    const firstOf = (frames: typeof moderator.frames) =>
      frames.find((frame) => isAnswer(frame) || isTold(frame)) ?? {}
    const ofIt = { ...inSession, recording_id: started.id }
    for (const [method, state] of [
      ['pause', 'paused'],
      ['resume', 'recording'],
    ]) {
      const [frames, events] = [moderator.frames.length, moderator.events.length]
      expect((await moderator.request(`video.recording.${method}`, ofIt)).result?.code).toBe('200')
      const told = await moderator.event('video.recording.updated', { since: events })
      expect(told).toMatchObject({ recording: { id: started.id, state } })
      expect(isAnswer(firstOf(moderator.frames.slice(frames)))).toBe(true)
      const { recordings } = (await moderator.request('video.recording.list', inSession)).result ?? {}
      expect(recordings).toMatchObject([{ id: started.id, state }])
    }
    // A recording needs a second of sound and picture.
    const recordedSince = Date.now()
    await expect.poll(() => Date.now() - recordedSince, { timeout: 3000 }).toBeGreaterThan(1000)
    expect((await moderator.request('video.recording.stop', ofIt)).result?.code).toBe('200')
    const stoppedAt = Date.now()
    const { recording } = await moderator.event('video.recording.ended')
    expect(Date.now() - stoppedAt).toBeLessThan(2000)
    expect(recording).toMatchObject({ id: started.id, state: 'completed', duration: expect.any(Number) })
    expect((await moderator.request('video.recording.stop', ofIt)).result?.code).toBe('409')
    expect(guest.events.filter(({ type }) => type.startsWith('video.recording'))).toEqual([])
    await expect
      .poll(() => relay.storage.recordings.find(relay.projectId, started.id))
      .toMatchObject({ status: 'completed', format: 'video/mp4' })
    const stored = await relay.storage.recordings.find(relay.projectId, started.id)
    expect(stored?.size_in_bytes).toBeGreaterThan(1000)
    expect(stored?.duration_ms).toBeGreaterThan(500)
  })
})
