import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '../../errors/refusal.ts'
import { GRACE, SessionWorld, Witness } from '../../testing/simulation/session-world.ts'
import type { SimulatedRoom } from '../../testing/simulation/simulated-media.ts'
import type { LiveSession } from './live-session.ts'
import type { PlaybackView } from './participant.ts'

const URL = 'https://files.example.com/secret/film.mp4'

let world: SessionWorld
let ada: Witness
let session: LiveSession
let media: SimulatedRoom

beforeEach(async () => {
  world = await SessionWorld.open()
  world.names.set('files.example.com', '203.0.113.9')
  world.names.set('inside.example.com', '10.0.0.5')
  await world.addRoom({ name: 'r' })
  ada = new Witness('Ada')
  ;({ session } = await world.join(ada, { room_name: 'r' }))
  media = world.media.roomOf(session.id)!
})
afterEach(() => world.close())

const play = async (changes: object = {}): Promise<PlaybackView> => {
  let started: PlaybackView | undefined
  await session.playbacks.start({ url: URL, volume: 0, positionMs: 0, wish: {}, ...changes }, (playback) => {
    started = playback
  })
  return started!
}
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof Refusal ? error.code : error),
  )
const history = async () =>
  (await world.history(session)).events
    .filter(({ name }) => name.startsWith('playback.'))
    .map(({ name, payload }) => [name, payload])
const told = (witness = ada) => witness.types.filter((type) => type.startsWith('playback'))

describe('a playback', () => {
  test('is answered, told and written, each change once, and its address is written nowhere', async () => {
    const order: string[] = []
    await session.playbacks.start({ url: URL, volume: 10, positionMs: 0, wish: {} }, () =>
      order.push(`answer after ${told().length} events`),
    )
    const [playback] = session.playbacks.all as [PlaybackView]
    expect(playback).toMatchObject({ state: 'playing', url: URL, volume: 10, positionMs: 0, seekable: true })
    const { id } = playback
    const answer = () => order.push(`answer after ${told().length} events`)
    await session.playbacks.pause(id, answer)
    await session.playbacks.resume(id, answer)
    await session.playbacks.setVolume(id, -50, answer)
    await session.playbacks.seek(id, 60_000, answer)
    await session.playbacks.seekBy(id, -5000, answer)
    expect(media.playbacks.get(id)).toMatchObject({ positionMs: 55_000, volume: -50, isPaused: false })
    session.playbacks.stop(id, answer)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6].map((count) => `answer after ${count} events`))
    expect(told()).toEqual(['playback_started', ...Array(5).fill('playback_updated'), 'playback_ended'])
    expect(playback).toMatchObject({ state: 'completed', endedAt: world.clock.now(), positionMs: 55_000 })
    await world.settled()
    expect(media.playbacks.size).toBe(0)
    expect(await history()).toEqual([
      ['playback.started', { playback_id: id, position_ms: 0 }],
      ['playback.paused', { playback_id: id, position_ms: 0 }],
      ['playback.resumed', { playback_id: id, position_ms: 0 }],
      ['playback.updated', { playback_id: id, position_ms: 0, volume: -50 }],
      ['playback.updated', { playback_id: id, position_ms: 60_000, volume: -50 }],
      ['playback.updated', { playback_id: id, position_ms: 55_000, volume: -50 }],
      ['playback.ended', { playback_id: id, position_ms: 55_000, reason: 'stopped' }],
    ])
    expect(JSON.stringify(await world.history(session))).not.toContain('secret')
  })

  test('moves with the clock while it moves, and follows the media worker without a word where that is expected', async () => {
    const playback = await play()
    const at = (positionMs: number, isMoving = true) =>
      media.emit('playbackChanged', { playbackId: playback.id, positionMs, isMoving })
    at(0)
    await world.clock.advance(10_000)
    expect(playback.positionMs).toBe(10_000)
    at(10_100, false)
    await world.clock.advance(5000)
    expect(playback.positionMs).toBe(10_100)
    expect(told()).toEqual(['playback_started'])
    at(12_000)
    expect(told()).toEqual(['playback_started', 'playback_updated'])
    await session.playbacks.pause(playback.id)
    await world.clock.advance(5000)
    expect(playback.state).toBe('paused')
  })

  test('has a place in the picture by the layout, with what it brings along, until it ends', async () => {
    const before = media.tiles
    const playback = await play({ wish: { layout: 'screen-share' } })
    expect(media.tiles).toContainEqual({ playbackId: playback.id, x: 0, y: 0, width: 100, height: 100 })
    expect(session.layoutName).toBe('screen-share')
    expect(session.layout.layers).toContainEqual(
      expect.objectContaining({ playback_id: playback.id, playing_file: true, visible: true }),
    )
    session.playbacks.stop(playback.id)
    expect(session.layoutName).toBe('grid-responsive')
    expect(media.tiles).toEqual(before)
  })

  test('without a picture has none', async () => {
    world.media.playbackInfo = { durationMs: null, isSeekable: false, hasPicture: false }
    const before = media.tiles
    const playback = await play()
    expect(media.tiles).toEqual(before)
    expect(await refusal(session.playbacks.seek(playback.id, 1))).toBe('invalid_state')
    expect(playback).toMatchObject({ seekable: false, positionMs: 0 })
  })

  test.each(['finished', 'lost'] as const)('that is %s by itself ends with an event', async (reason) => {
    const { id } = await play()
    media.endPlayback(id, reason, 7000)
    expect(told()).toEqual(['playback_started', 'playback_ended'])
    expect(media.tiles.some(({ playbackId }) => playbackId)).toBe(false)
    await world.settled()
    expect((await history()).at(-1)).toEqual([
      'playback.ended',
      { playback_id: id, position_ms: 7000, reason },
    ])
    expect(await refusal(session.playbacks.pause(id))).toBe('invalid_state')
    media.emit('playbackEnded', { playbackId: id, reason, positionMs: 1 })
    expect(told()).toHaveLength(2)
  })

  test('ends with its session, also when the media worker dies', async () => {
    const { id } = await play()
    media.die()
    await session.finished
    expect((await history()).at(-1)).toMatchObject([
      'playback.ended',
      { playback_id: id, reason: 'session_ended' },
    ])
    expect(session.playbacks.running).toEqual([])
  })

  test('that opens while its session ends is stopped', async () => {
    const starting = play()
    void session.end('room_deleted')
    expect(await refusal(starting)).toBe('session_ended')
    await session.finished
    expect(await history()).toEqual([])
  })
})

describe('is refused', () => {
  test('beyond the limit, until another ends', async () => {
    const first = await play()
    const starting = [play(), play()]
    expect((await Promise.all(starting.map(refusal))).toSorted()).toEqual(['exceeds_playback_limit', 'none'])
    session.playbacks.stop(first.id)
    await play()
    expect(session.playbacks.running).toHaveLength(2)
  })

  test.each([
    'nonsense',
    'file:///etc/passwd',
    'ftp://files.example.com/a',
    'https://inside.example.com/a',
    'http://169.254.169.254/latest/meta-data',
    'rtmp://127.0.0.1/a/b',
  ])('from %s, and nothing is told', async (url) => {
    expect(await refusal(play({ url }))).toBe('invalid_parameter')
    expect(session.playbacks.all).toEqual([])
    expect(told()).toEqual([])
  })

  test('when it cannot be opened, and nothing is left', async () => {
    world.media.refusesPlaybacks = 'the server answered with 404'
    expect(await refusal(play())).toBe('playback_not_opened')
    expect(session.playbacks.all).toEqual([])
    world.media.refusesPlaybacks = null
    await play()
    await play()
  })

  test('a change of one that is not there, or in the wrong state', async () => {
    const { id } = await play()
    expect(await refusal(session.playbacks.pause('nobody'))).toBe('provided_id_is_unrecognized')
    expect(await refusal(session.playbacks.resume(id))).toBe('invalid_state')
    await session.playbacks.pause(id)
    expect(await refusal(session.playbacks.pause(id))).toBe('invalid_state')
    session.playbacks.stop(id)
    expect(() => session.playbacks.stop(id)).toThrow(Refusal)
  })
})

test('every address that a playback leads to is judged, for the protocols that the worker names', async () => {
  const judge = async (url: string, protocols = ['http', 'https']) => {
    const questionId = media.addresses.size + 1
    media.emit('addressWanted', { questionId, url, protocols })
    await world.settled()
    return media.addresses.get(questionId)
  }
  expect(await judge(URL)).toEqual({
    host: 'files.example.com',
    address: '203.0.113.9',
    port: 443,
    tls: true,
  })
  expect(await judge('http://files.example.com:8080/a')).toMatchObject({ port: 8080, tls: false })
  expect(await judge('rtmp://files.example.com/a', ['rtmp'])).toMatchObject({ port: 1935, tls: false })
  expect(await judge('rtmp://files.example.com/a')).toBeNull()
  expect(await judge('file:///etc/passwd', ['file'])).toBeNull()
  expect(await judge('https://inside.example.com/segment.ts')).toBeNull()
  expect(await judge('http://[::1]/key')).toBeNull()
})

test('nothing is left after the grace', async () => {
  await play()
  ada.connected = false
  session.presence.lost(ada)
  await world.clock.advance(GRACE.reconnectGraceMs + GRACE.sessionGraceMs)
  await session.finished
  expect(world.media.rooms.size).toBe(0)
})
