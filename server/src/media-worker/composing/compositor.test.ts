import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import type { Tile } from '../../media/channel.ts'
import { ColourCamera, movingMark } from '../../testing/media/colour-camera.ts'
import { memberMedia } from '../../testing/media/member-media.ts'
import { colourDistance, Screen } from '../../testing/media/screen.ts'
import type { YuvColour } from '../codecs/picture.ts'
import { VideoDecoder } from '../codecs/video-decoder.ts'
import { LipSync } from '../mixer/lip-sync.ts'
import { BACKGROUND } from '../mixer/tile-view.ts'
import { Recording } from '../outputs/recording.ts'
import { ComposingThread } from './composing-thread.ts'
import { ComposingThreads } from './composing-threads.ts'
import { Compositor, type CompositorOptions } from './compositor.ts'

// Threads load FFmpeg's bindings, on a machine that does other things.
vi.setConfig({ testTimeout: 60_000 })

const RED: YuvColour = { y: 81, u: 90, v: 240 }
const GREEN: YuvColour = { y: 145, u: 54, v: 34 }
const FULL: Omit<Tile, 'memberId'> = { x: 0, y: 0, width: 100, height: 100 }
const log = pino({ level: 'silent' })

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function startThreads(most = 1) {
  const posts = vi.spyOn(ComposingThread.prototype, 'post')
  let stuck = 0
  const threads = new ComposingThreads({ log, most, onStuck: () => stuck++ })
  cleanUps.push(() => threads.close())
  /** The thread that was told something last. */
  const last = () => posts.mock.contexts.at(-1) as ComposingThread
  return { threads, last, stuck: () => stuck }
}

/** A room whose picture is looked at, with a camera that sends 20 pictures a second. */
class WatchedRoom {
  readonly compositor: Compositor
  readonly screen = new Screen('H264')
  readonly faults: Error[] = []
  readonly keyframesWanted: string[] = []
  readonly cameras = new Map<string, ColourCamera>()
  frames = 0
  keyframes = 0
  onFrame: CompositorOptions['onFrame'] = () => {}
  readonly #film: NodeJS.Timeout

  constructor(threads: ComposingThreads, previewFile: string | null = null) {
    this.compositor = new Compositor({
      width: 320,
      height: 180,
      fps: 20,
      nameLabels: false,
      previewFile,
      threads,
      lipSync: new LipSync(),
      onFrame: (frame) => {
        this.frames++
        if (frame.keyframe) this.keyframes++
        this.screen.show(frame)
        this.onFrame(frame)
      },
      onKeyframeWanted: (memberId) => {
        this.keyframesWanted.push(memberId)
        this.cameras.get(memberId)?.requestKeyframe()
      },
      onTilesChanged: () => {},
      onFault: (_, error) => this.faults.push(error),
      onPreviewFailed: (error) => this.faults.push(error),
    })
    this.compositor.setH264Enabled(true)
    this.#film = setInterval(() => this.film(), 50)
    cleanUps.push(() => this.close())
  }

  join(memberId: string, colour: YuvColour): void {
    this.cameras.set(memberId, new ColourCamera('VP8', 320, 180, colour))
    this.compositor.setMember(memberMedia(memberId))
    this.compositor.setTiles([{ memberId, ...FULL }])
  }

  film(): void {
    const nowMs = performance.now()
    for (const [memberId, camera] of this.cameras)
      this.compositor.pushFrame(memberId, camera.capture(nowMs, movingMark(nowMs)))
  }

  /** Resolves once a picture of this colour has come. */
  async shows(colour: YuvColour): Promise<void> {
    await vi.waitFor(
      () => expect(colourDistance(this.screen.colourAt(160, 120), colour)).toBeLessThanOrEqual(8),
      { timeout: 30_000, interval: 20 },
    )
  }

  async close(): Promise<void> {
    clearInterval(this.#film)
    await this.compositor.close()
    for (const camera of this.cameras.values()) camera.close()
    this.cameras.clear()
    this.screen.close()
  }
}

test('composes in a thread what cameras send, at the time of this process', async () => {
  const { threads } = startThreads()
  expect(threads.size).toBe(0)
  const room = new WatchedRoom(threads)
  room.join('a', RED)
  let age = Number.NaN
  room.onFrame = ({ capturedAtMs, rtpTimestamp }) => {
    age = performance.now() - capturedAtMs
    expect(rtpTimestamp).toBe(Math.round(capturedAtMs * 90))
  }
  await room.shows(RED)
  expect(threads.size).toBe(1)
  expect(age).toBeGreaterThanOrEqual(0)
  expect(age).toBeLessThan(5000)
  room.compositor.setMember(memberMedia('a', { videoMuted: true }))
  await vi.waitFor(() => expect(colourDistance(room.screen.colourAt(160, 120), RED)).toBeGreaterThan(50))
  expect(room.faults).toEqual([])
})

test('a thread that ends is replaced, and its rooms go on as they were', async () => {
  const { threads, last } = startThreads()
  const rooms = [new WatchedRoom(threads), new WatchedRoom(threads)]
  rooms[0]!.join('a', RED)
  rooms[1]!.join('b', GREEN)
  rooms[1]!.compositor.setEffort({ fps: 10, isFast: true, stillIntervalMs: 500 })
  const folder = await mkdtemp(join(tmpdir(), 'compositor-'))
  cleanUps.unshift(() => rm(folder, { recursive: true }))
  const recording = await Recording.start({
    recordingId: 'r',
    file: join(folder, 'r.mp4'),
    width: 320,
    height: 180,
    fps: 20,
    requestKeyframe: () => rooms[0]!.compositor.requestKeyframe('H264'),
    onFailed: (reason) => rooms[0]!.faults.push(new Error(reason)),
  })
  rooms[0]!.onFrame = (frame) => recording.writeVideo(frame)
  for (let round = 0; round < 2; round++) {
    await Promise.all([rooms[0]!.shows(RED), rooms[1]!.shows(GREEN)])
    const broken = last()
    const before = rooms.map(({ keyframes, keyframesWanted }) => [keyframes, keyframesWanted.length])
    void broken.end()
    for (const [index, room] of rooms.entries()) {
      const [keyframes, wanted] = before[index]!
      await vi.waitFor(
        () => {
          expect(room.keyframes).toBeGreaterThan(keyframes!)
          expect(room.keyframesWanted.length).toBeGreaterThan(wanted!)
        },
        { timeout: 30_000 },
      )
    }
    expect(threads.size).toBe(1)
    expect(last()).not.toBe(broken)
  }
  await Promise.all([rooms[0]!.shows(RED), rooms[1]!.shows(GREEN)])
  expect((await recording.stop()).durationMs).toBeGreaterThan(500)
  expect(rooms.flatMap(({ faults }) => faults)).toEqual([])
})

test('a thread that hangs is replaced', async () => {
  const { threads, last, stuck } = startThreads()
  const room = new WatchedRoom(threads)
  room.join('a', RED)
  await room.shows(RED)
  const hanging = last()
  // As if its event loop did not turn any more.
  vi.spyOn(hanging, 'takeBeat').mockReturnValue(false)
  await vi.waitFor(() => expect(last()).not.toBe(hanging), { timeout: 30_000 })
  const { frames } = room
  await vi.waitFor(() => expect(room.frames).toBeGreaterThan(frames + 5), { timeout: 30_000 })
  expect(stuck()).toBe(0)
})

test('rooms can be closed at any moment, and leave no preview', async () => {
  const { threads, last } = startThreads()
  const folder = await mkdtemp(join(tmpdir(), 'compositor-'))
  cleanUps.unshift(() => rm(folder, { recursive: true }))
  const preview = (index: number) => join(folder, `${index}.mp4`)
  const other = new WatchedRoom(threads)
  other.join('a', GREEN)
  // Before the thread has begun.
  await new WatchedRoom(threads, preview(0)).close()
  await other.shows(GREEN)
  // With frames on their way.
  const busy = new WatchedRoom(threads, preview(1))
  busy.join('a', RED)
  await busy.shows(RED)
  for (let index = 0; index < 50; index++) busy.film()
  const { frames } = busy
  const closed = busy.close()
  await closed
  expect(busy.frames).toBe(frames)
  // While its thread ends.
  const unlucky = new WatchedRoom(threads, preview(2))
  unlucky.join('a', RED)
  await unlucky.shows(RED)
  void last().end()
  await unlucky.close()
  for (let index = 0; index < 3; index++)
    for (const file of [preview(index), `${preview(index)}.part`]) expect(existsSync(file)).toBe(false)
  const framesBefore = other.frames
  await vi.waitFor(() => expect(other.frames).toBeGreaterThan(framesBefore + 5), { timeout: 30_000 })
})

test('threads can be ended while they compose', async () => {
  for (let round = 0; round < 3; round++) {
    const { threads } = startThreads()
    const room = new WatchedRoom(threads)
    room.join('a', RED)
    if (round > 0) await room.shows(RED)
    for (let index = 0; index < 20; index++) room.film()
    await threads.close()
    await room.close()
  }
})

test('rooms get threads of their own while there are fewer than there may be', async () => {
  const { threads } = startThreads(2)
  const rooms = [1, 2, 3].map(() => new WatchedRoom(threads))
  expect(threads.size).toBe(2)
  for (const room of rooms) room.join('a', RED)
  for (const room of rooms) await room.shows(RED)
})

test('threads end when there has been no room for a while, and come back with the next', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  cleanUps.push(() => vi.useRealTimers())
  // Time passes for the one who looks, and not for the thread.
  vi.spyOn(ComposingThread.prototype, 'takeBeat').mockReturnValue(true)
  const { threads } = startThreads()
  const room = new WatchedRoom(threads)
  await vi.waitFor(() => expect(room.frames).toBeGreaterThan(3), { timeout: 30_000 })
  vi.advanceTimersByTime(40_000)
  expect(threads.size).toBe(1)
  await room.close()
  vi.advanceTimersByTime(40_000)
  await vi.waitFor(() => expect(threads.size).toBe(0))
  const next = new WatchedRoom(threads)
  await vi.waitFor(() => expect(next.frames).toBeGreaterThan(3), { timeout: 30_000 })
})

test('drops cameras while the thread is far behind, and asks for a keyframe then', async () => {
  const { threads, last } = startThreads()
  const room = new WatchedRoom(threads)
  room.join('a', RED)
  await room.shows(RED)
  const full = vi.spyOn(last(), 'hasRoom', 'get').mockReturnValue(false)
  room.keyframesWanted.length = 0
  await vi.waitFor(() => expect(room.keyframesWanted.length).toBeGreaterThanOrEqual(2))
  room.cameras.get('a')!.colour = GREEN
  full.mockRestore()
  await room.shows(GREEN)
  expect(room.faults).toEqual([])
})

test('tells the size of a tile in pixels, and knows screens from cameras', async () => {
  const { threads } = startThreads()
  const { compositor } = new WatchedRoom(threads)
  expect(compositor.tileSize('a')).toBeNull()
  compositor.setMember(memberMedia('a'))
  compositor.setMember(memberMedia('screen', { isScreen: true }))
  compositor.setTiles([
    { memberId: 'a', x: 0, y: 0, width: 25, height: 25 },
    { memberId: 'a', x: 50, y: 0, width: 50, height: 50 },
  ])
  expect(compositor.tileSize('a')?.width).toBeGreaterThan(150)
  expect(compositor.tileSize('a')?.width).toBeLessThanOrEqual(160)
  expect(['a', 'screen', 'unknown'].map((memberId) => compositor.isScreen(memberId))).toEqual([
    false,
    true,
    false,
  ])
})

test('does not decode what waited too long, and shows the last picture until there is a keyframe', async () => {
  const { threads } = startThreads()
  const room = new WatchedRoom(threads)
  room.join('a', RED)
  await room.shows(RED)
  const camera = room.cameras.get('a')!
  room.cameras.clear()
  room.keyframesWanted.length = 0
  const lateMs = performance.now() - 5000
  room.compositor.pushFrame('a', { ...camera.capture(performance.now()), arrivedAtMs: lateMs })
  await vi.waitFor(() => expect(room.keyframesWanted).toEqual(['a']))
  await room.shows(RED)
  camera.colour = GREEN
  camera.requestKeyframe()
  room.cameras.set('a', camera)
  await room.shows(GREEN)
})

test('shows the picture of a played file, in a new thread too', async () => {
  const { threads, last } = startThreads()
  const room = new WatchedRoom(threads)
  const decoder = new VideoDecoder('H264')
  const source = new ColourCamera('H264', 322, 182, RED)
  const show = (colour: YuvColour) => {
    source.colour = colour
    source.requestKeyframe()
    return decoder.decode(source.capture(performance.now()).data)
  }
  const file = { picture: show(RED), version: 1, advance: () => {} }
  cleanUps.push(() => {
    room.compositor.removeFile('p')
    file.picture?.release()
    decoder.close()
    source.close()
  })
  room.compositor.addFile('p', file)
  room.compositor.setTiles([{ playbackId: 'p', ...FULL }])
  await room.shows(RED)
  file.picture?.release()
  file.picture = show(GREEN)
  file.version++
  await room.shows(GREEN)
  const { keyframes } = room
  void last().end()
  await vi.waitFor(() => expect(room.keyframes).toBeGreaterThan(keyframes), { timeout: 30_000 })
  await room.shows(GREEN)
  room.compositor.removeFile('p')
  await room.shows(BACKGROUND)
  expect(room.faults).toEqual([])
})
