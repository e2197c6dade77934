import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unguarded } from '../containment.ts'
import type { FeedKey } from '../media/channel.ts'
import { FeedPort } from './feed/feed-port.ts'
import { FeedReader } from './feed/feed-reader.ts'
import { RoomFeeds } from './feed/room-feeds.ts'
import type { VideoEncoding } from './media-types.ts'
import type { ViewerMix } from './mixer/audio-mixer.ts'
import { PacketTotals } from './packet-totals.ts'
import { ServedRoom } from './served-room.ts'

const log = pino({ level: 'silent' })
const newKey = (feedId: string): FeedKey => ({ feedId, secret: randomBytes(32).toString('hex') })

/** What the worker that mixes the room is asked for. */
const asked = { keyframes: [] as VideoEncoding[], limits: [] as (number | null)[] }
const mixes = new Map<string, ViewerMix>()
let port: FeedPort
let source: RoomFeeds
let room: ServedRoom
const readers: FeedReader[] = []

beforeEach(async () => {
  port = new FeedPort()
  source = new RoomFeeds({
    port,
    log,
    requestKeyframe: (encoding) => asked.keyframes.push(encoding),
    addMix: (listenerId, mix) => mixes.set(listenerId, mix),
    removeMix: (listenerId) => mixes.delete(listenerId),
    onLimit: (_feedId, _encoding, bitrateBps) => asked.limits.push(bitrateBps),
    onTakersChanged: () => {},
  })
  const key = newKey('of-the-room')
  const address = await source.open(key)
  room = new ServedRoom({
    feed: { ...key, ...address, fullBitrateBps: 1_500_000 },
    rtc: { transport: 'libdatachannel', portRange: { begin: 1, end: 1 } },
    packets: new PacketTotals(),
    feedPort: port,
    log,
    onEvent: () => {},
    onLost: () => {},
  })
  await room.connected
})

afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close()
  await room.close()
  source.closeAll()
  port.close()
  mixes.clear()
  asked.keyframes.length = 0
  asked.limits.length = 0
})

/** A further worker, which gets the room from the one that serves it. */
async function furtherWorker(feedId: string) {
  const key = newKey(feedId)
  const seen = { pictures: '', sounds: [] as string[], agesMs: [] as number[] }
  const reader = new FeedReader({
    feed: { ...key, ...(await room.feeds.open(key)) },
    log,
    guard: unguarded,
    onPicture: ({ data, capturedAtMs }) => {
      seen.pictures += String.fromCharCode(data[0] ?? 0)
      seen.agesMs.push(performance.now() - capturedAtMs)
    },
    onSound: (mixId, { payload }) => seen.sounds.push(`${mixId} ${payload}`),
    onLost: () => {},
  })
  readers.push(reader)
  await reader.connected
  return { reader, seen }
}

function show(letters: string): void {
  for (const letter of letters)
    source.publishVideo({
      encoding: 'H264',
      data: Buffer.alloc(10, letter),
      keyframe: letter === 'K',
      rtpTimestamp: 90,
      capturedAtMs: performance.now(),
    })
}

test('further workers get from it what comes to it once', async () => {
  const one = await furtherWorker('one')
  const other = await furtherWorker('other')
  expect(source.takersOf('H264')).toBe(0)
  one.reader.setTaken('H264', true)
  await vi.waitFor(() => expect(source.takersOf('H264')).toBe(1))
  other.reader.setTaken('H264', true)
  await vi.waitFor(() => expect(room.feeds.takersOf('H264')).toBe(2))
  expect(source.takersOf('H264')).toBe(1)
  show('abKcd')
  await vi.waitFor(() => expect([one.seen.pictures, other.seen.pictures]).toEqual(['Kcd', 'Kcd']))
  for (const ageMs of [...one.seen.agesMs, ...other.seen.agesMs]) expect(Math.abs(ageMs)).toBeLessThan(1000)

  // All who hear the same share a mix at its source.
  const loud = { deaf: false, volume: 0, lossPercent: 0 }
  const ids = [one, other].map(({ reader }) => reader.hear(loud))
  await vi.waitFor(() => expect([...mixes.values()]).toEqual([loud]))
  await vi.waitFor(() => {
    for (const listenerId of mixes.keys())
      source.sendSound(listenerId, {
        payload: Buffer.from('tone'),
        rtpTimestamp: 960,
        capturedAtMs: performance.now(),
      })
    expect([one.seen.sounds[0], other.seen.sounds[0]]).toEqual(ids.map((id) => `${id} tone`))
  })
  one.reader.close()
  other.reader.unhear(ids[1] ?? 0)
  await vi.waitFor(() => expect(mixes.size).toBe(0))
  other.reader.setTaken('H264', false)
  await vi.waitFor(() => expect(source.takersOf('H264')).toBe(0))
})

test('it asks for what further workers ask for: keyframes, and the lowest bitrate', async () => {
  const one = await furtherWorker('one')
  const other = await furtherWorker('other')
  for (const { reader } of [one, other]) reader.setTaken('H264', true)
  await vi.waitFor(() => expect(room.feeds.takersOf('H264')).toBe(2))
  show('K')
  await vi.waitFor(() => expect(other.seen.pictures).toBe('K'))
  asked.keyframes.length = 0
  for (const { reader } of [one, other]) for (let i = 0; i < 50; i++) reader.requestKeyframe('H264')
  await vi.waitFor(() => expect(asked.keyframes).toEqual(['H264']))
  one.reader.limit('H264', 900_000)
  other.reader.limit('H264', 300_000)
  await vi.waitFor(() => expect(asked.limits.at(-1)).toBe(300_000))
  other.reader.close()
  await vi.waitFor(() => expect(asked.limits.at(-1)).toBe(900_000))
})
