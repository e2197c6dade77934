import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { unguarded } from '../../containment.ts'
import type { FeedKey } from '../../media/channel.ts'
import { CutLink } from '../../testing/media/cut-link.ts'
import { timePasses } from '../../testing/time-passes.ts'
import type { VideoEncoding } from '../media-types.ts'
import type { ViewerMix } from '../mixer/audio-mixer.ts'
import { MOST_UP_BYTES, writePicture, writeStreamRequest } from './feed-messages.ts'
import { FeedPort } from './feed-port.ts'
import { FeedReader } from './feed-reader.ts'
import { FeedWriter } from './feed-writer.ts'
import { newMessage } from './message-reader.ts'
import { MessageStream } from './message-stream.ts'
import { RoomFeeds } from './room-feeds.ts'

const log = pino({ level: 'silent' })
const newKey = (): FeedKey => ({ feedId: 'feed-1', secret: randomBytes(32).toString('hex') })
const LOUD: ViewerMix = { deaf: false, volume: 0, lossPercent: 0 }

let port: FeedPort
let feeds: RoomFeeds
let link: CutLink
let key: FeedKey
const keyframesWanted: VideoEncoding[] = []
const limits: [VideoEncoding, number | null][] = []
const mixes = new Map<string, ViewerMix>()
const readers: FeedReader[] = []

/** Makes as many pictures as there are letters: `K` is a keyframe. */
function show(pictures: string, encoding: VideoEncoding = 'H264', bytes = 10): void {
  for (const letter of pictures) {
    const data = Buffer.alloc(bytes, letter)
    feeds.publishVideo({
      encoding,
      data,
      keyframe: letter === 'K',
      rtpTimestamp: 90,
      capturedAtMs: performance.now(),
    })
  }
}

function say(text: string): void {
  for (const listenerId of mixes.keys())
    feeds.sendSound(listenerId, {
      payload: Buffer.from(text),
      rtpTimestamp: 960,
      capturedAtMs: performance.now(),
    })
}

class Viewer {
  pictures = ''
  heard: string[] = []
  isLost = false
  readonly agesMs: number[] = []
  readonly reader: FeedReader

  constructor(feed = { ...key, ...link.address }) {
    this.reader = new FeedReader({
      feed,
      log,
      guard: unguarded,
      onPicture: ({ data, capturedAtMs }) => {
        this.pictures += String.fromCharCode(data[0] ?? 0)
        this.agesMs.push(performance.now() - capturedAtMs)
      },
      onSound: (mixId, { payload }) => this.heard.push(`${mixId} ${payload}`),
      onLost: () => {
        this.isLost = true
      },
    })
    readers.push(this.reader)
  }

  /** A viewer who is connected and takes the picture. */
  static async ready(): Promise<Viewer> {
    const viewer = new Viewer()
    await viewer.reader.connected
    viewer.reader.setTaken('H264', true)
    await vi.waitFor(() => expect(feeds.takersOf('H264')).toBe(1))
    return viewer
  }
}

beforeEach(async () => {
  key = newKey()
  port = new FeedPort()
  feeds = new RoomFeeds({
    port,
    log,
    requestKeyframe: (codec) => keyframesWanted.push(codec),
    addMix: (listenerId, mix) => mixes.set(listenerId, mix),
    removeMix: (listenerId) => mixes.delete(listenerId),
    onLimit: (_feedId, encoding, bitrateBps) => limits.push([encoding, bitrateBps]),
    onTakersChanged: () => {},
  })
  link = await CutLink.open(await feeds.open(key))
})
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close()
  feeds.closeAll()
  port.close()
  link.close()
  keyframesWanted.length = 0
  limits.length = 0
  mixes.clear()
})

test('a stream comes while it is taken, and begins with a keyframe that it asks for', async () => {
  const viewer = await Viewer.ready()
  expect(keyframesWanted).toEqual(['H264'])
  show('abKcd')
  show('xKx', 'VP8')
  await vi.waitFor(() => expect(viewer.pictures).toBe('Kcd'))
  for (const ageMs of viewer.agesMs) expect(Math.abs(ageMs)).toBeLessThan(1000)
  viewer.reader.setTaken('H264', false)
  await vi.waitFor(() => expect(feeds.takersOf('H264')).toBe(0))
  show('Ke')
  viewer.reader.setTaken('H264', true)
  await vi.waitFor(() => expect(feeds.takersOf('H264')).toBe(1))
  show('fKg')
  await vi.waitFor(() => expect(viewer.pictures).toBe('KcdKg'))
})

test('requests for a keyframe are merged until one has come', async () => {
  const viewer = await Viewer.ready()
  show('K')
  await vi.waitFor(() => expect(viewer.pictures).toBe('K'))
  for (let i = 0; i < 100; i++) viewer.reader.requestKeyframe('H264')
  viewer.reader.requestKeyframe('VP8')
  await vi.waitFor(() => expect(keyframesWanted).toEqual(['H264', 'H264']))
  show('K')
  await vi.waitFor(() => expect(viewer.pictures).toBe('KK'))
  viewer.reader.requestKeyframe('H264')
  await vi.waitFor(() => expect(keyframesWanted).toHaveLength(3))
})

test('a mix comes while it is wanted, with the settings that were asked for', async () => {
  const viewer = await Viewer.ready()
  const ids = [
    LOUD,
    { deaf: true, volume: 0, lossPercent: 0 },
    { deaf: false, volume: -50, lossPercent: 25 },
  ].map((mix) => viewer.reader.hear(mix))
  await vi.waitFor(() => expect(mixes.size).toBe(3))
  expect([...mixes.values()][2]).toEqual({ deaf: false, volume: -50, lossPercent: 25 })
  say('one')
  await vi.waitFor(() => expect(viewer.heard).toEqual(ids.map((id) => `${id} one`)))
  viewer.reader.unhear(ids[0]!)
  await vi.waitFor(() => expect(mixes.size).toBe(2))
})

test('a link that is cut is made again, and everything comes again', async () => {
  const viewer = await Viewer.ready()
  viewer.reader.hear(LOUD)
  await vi.waitFor(() => expect(mixes.size).toBe(1))
  link.cut()
  await vi.waitFor(() => expect(feeds.takersOf('H264')).toBe(0))
  expect(mixes.size).toBe(0)
  await vi.waitFor(() => expect(feeds.takersOf('H264') + mixes.size).toBe(2), 3000)
  show('aKb')
  say('again')
  await vi.waitFor(() => expect(`${viewer.pictures} ${viewer.heard.length}`).toBe('Kb 1'))
  expect(viewer.isLost).toBe(false)
})

test('a link that is cut again and again is given up', async () => {
  const viewer = await Viewer.ready()
  const cutting = setInterval(() => link.cut(), 50)
  await vi.waitFor(() => expect(viewer.isLost).toBe(true), 10_000)
  clearInterval(cutting)
}, 15_000)

test('a reader that is too slow gets nothing until it has read all, and then a keyframe', async () => {
  const viewer = await Viewer.ready()
  show('K')
  await vi.waitFor(() => expect(viewer.pictures).toBe('K'))
  viewer.reader.hear(LOUD)
  await vi.waitFor(() => expect(mixes.size).toBe(1))
  link.hold()
  for (let tick = 0; tick < 40; tick++) {
    show('d')
    say('now')
    await timePasses(20, 'the reader lags')
  }
  keyframesWanted.length = 0
  link.release()
  await vi.waitFor(() => {
    show('d')
    if (keyframesWanted.length > 0) show('K')
    expect(viewer.pictures).toMatch(/K.*K$/)
  }, 3000)
  const [before = ''] = /^Kd*/.exec(viewer.pictures) ?? []
  expect(before.length).toBeLessThan(40)
  expect(viewer.heard.length).toBeLessThan(40)
})

test('a reader that reads nothing at all takes no more memory than its share', () => {
  // Takes everything and is never done with it.
  const stream = new Duplex({ read: () => {}, write: () => {} })
  const writer = new FeedWriter({
    stream: new MessageStream(stream, MOST_UP_BYTES),
    onKeyframeNeeded: () => {},
    onLimit: () => {},
    onTakenChanged: () => {},
    onHear: () => {},
    onUnhear: () => {},
    onClosed: () => {},
  })
  const picture = {
    encoding: 'H264',
    keyframe: true,
    data: Buffer.alloc(100_000),
    rtpTimestamp: 0,
    capturedAtMs: 0,
  } as const
  stream.push(writeStreamRequest('take', 'H264'))
  stream.emit('data', stream.read())
  for (let i = 0; i < 1000; i++) writer.sendPicture(picture, () => writePicture(picture), performance.now())
  expect(stream.writableLength).toBeGreaterThan(100_000)
  expect(stream.writableLength).toBeLessThan(3_000_000)
  expect(writer.dropped.pictures).toBeGreaterThan(900)
})

test('nobody gets anything without the secret', async () => {
  const stranger = new Viewer({ ...newKey(), ...link.address })
  const unknown = new Viewer({ ...key, feedId: 'feed-2', ...link.address })
  await expect(stranger.reader.connected).rejects.toThrow()
  await expect(unknown.reader.connected).rejects.toThrow()
  expect([stranger.isLost, unknown.isLost]).toEqual([true, true])
  const viewer = await Viewer.ready()
  show('K')
  await vi.waitFor(() => expect(viewer.pictures).toBe('K'))
  expect(stranger.pictures + unknown.pictures).toBe('')
})

test('a server that does not know the secret is not believed', async () => {
  const impostor = new FeedPort()
  const address = await impostor.offer(key.feedId, { secret: randomBytes(32), onReader: () => {} })
  await expect(new Viewer({ ...key, ...address }).reader.connected).rejects.toThrow()
  impostor.close()
})

test.each([
  ['noise', randomBytes(500)],
  ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a request without greeting', newMessage(32, 1).message],
  ['a message that is far too long', Buffer.from('ffffffff01', 'hex')],
  ['a proof that is too short', newMessage(2, 10).message],
])('%s ends its connection, and no other', async (_, bytes) => {
  const viewer = await Viewer.ready()
  const socket = connect(link.address)
  socket.on('error', () => {})
  socket.resume().write(bytes)
  await once(socket, 'close')
  show('K')
  await vi.waitFor(() => expect(viewer.pictures).toBe('K'))
})

test('who says nothing is not waited for', async () => {
  const socket = connect(link.address).resume()
  await once(socket, 'close')
})

test('a feed that is closed is over, also for who knows its secret', async () => {
  const viewer = await Viewer.ready()
  feeds.close(key.feedId)
  await vi.waitFor(() => expect(feeds.takersOf('H264')).toBe(0))
  await expect(new Viewer().reader.connected).rejects.toThrow()
  await vi.waitFor(() => expect(viewer.isLost).toBe(true), 8000)
}, 10_000)

test('what the slowest viewer can take is told, and forgotten with the stream', async () => {
  const viewer = await Viewer.ready()
  viewer.reader.limit('H264-small', 200_000)
  viewer.reader.setTaken('H264-small', true)
  await vi.waitFor(() => expect(limits).toEqual([['H264-small', 200_000]]))
  viewer.reader.limit('H264-small', 150_000)
  viewer.reader.setTaken('H264-small', false)
  const told = [
    ['H264-small', 200_000],
    ['H264-small', 150_000],
    ['H264-small', null],
  ]
  await vi.waitFor(() => expect(limits).toEqual(told))
})
