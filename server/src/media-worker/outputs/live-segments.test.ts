import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HlsPart } from '../../media/channel.ts'
import { ColourCamera, movingMark } from '../../testing/media/colour-camera.ts'
import { decodeErrors, listPackets, probe } from '../../testing/media/recorded-file.ts'
import { HEIGHT, TestRoom, WIDTH } from '../../testing/media/test-room.ts'
import { ToneMicrophone } from '../../testing/media/tone-microphone.ts'
import { LiveSegments } from './live-segments.ts'

// Twelve seconds of room are encoded, as fast as the machine can.
vi.setConfig({ testTimeout: 60_000 })

const log = pino({ level: 'silent' })
let folder: string
let room: TestRoom
let parts: HlsPart[]
const closeables: { close(): void }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'live-segments-'))
  room = new TestRoom()
  parts = []
})
afterEach(async () => {
  room.close()
  for (const closeable of closeables.splice(0)) closeable.close()
  await rm(folder, { recursive: true })
})

function addMember(): void {
  const camera = new ColourCamera('VP8', 160, 90, { y: 235, u: 128, v: 128 })
  const microphone = new ToneMicrophone(440)
  closeables.push(camera, microphone)
  room.setMember('a')
  room.setTiles([{ memberId: 'a', x: 0, y: 0, width: 100, height: 100 }])
  room.audio.addSource('a', 'a', microphone)
  let next = room.nowMs
  room.onMillisecond = (nowMs) => {
    if (nowMs < next) return
    next += 33
    room.pushFrame('a', camera.capture(nowMs, movingMark(nowMs), nowMs - 20))
  }
}

/** Lets a room run for that long, as segments in the folder. */
async function segmentsOf(ms: number): Promise<LiveSegments> {
  const segments = new LiveSegments({
    folder,
    width: WIDTH,
    height: HEIGHT,
    fps: 20,
    log,
    requestKeyframe: () => room.video.requestKeyframe('H264'),
    onPart: (part) => parts.push(part),
  })
  room.recording = segments
  room.run(ms)
  await segments.stop()
  return segments
}

const bytesOf = async ({ segment, offset, length }: HlsPart) =>
  (await readFile(join(folder, `${segment}.m4s`))).subarray(offset, offset + length)

test('segments of some two seconds begin with a keyframe, and their parts are as long as RFC 8216bis wants them', async () => {
  addMember()
  await segmentsOf(12_000)
  const last = parts.at(-1)!.segment
  expect(last).toBeGreaterThanOrEqual(4)
  for (let number = 0; number < last; number++) {
    const own = parts.filter(({ segment }) => segment === number)
    expect(own[0]?.isIndependent).toBe(true)
    const seconds = own.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
    expect(seconds).toBeGreaterThan(1)
    expect(seconds).toBeLessThanOrEqual(4)
    for (const { durationMs } of own) expect(durationMs).toBeLessThanOrEqual(550)
    // At least 85 % of the target, but for the last one of a segment.
    for (const { durationMs } of own.slice(0, -1)) expect(durationMs).toBeGreaterThanOrEqual(0.85 * 550)
    // The parts are the segment, each a fragment of its own.
    let offset = 0
    for (const part of own) {
      expect(part.offset).toBe(offset)
      offset += part.length
      expect((await bytesOf(part)).toString('latin1', 4, 8)).toBe('moof')
    }
    expect((await readFile(join(folder, `${number}.m4s`))).length).toBe(offset)
  }
})

test('all that is listed can be played as one, and each segment alone', async () => {
  addMember()
  await segmentsOf(7000)
  const init = await readFile(join(folder, 'init.mp4'))
  const whole = join(folder, 'whole.mp4')
  await writeFile(whole, Buffer.concat([init, ...(await Promise.all(parts.map(bytesOf)))]))
  const { streams } = await probe(whole)
  expect(streams.map(({ codec_name }) => codec_name).sort()).toEqual(['aac', 'h264'])
  expect(await decodeErrors(whole)).toBe('')
  const seconds = parts.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000
  const packets = await listPackets(whole)
  for (const type of ['audio', 'video']) {
    const own = packets.filter(({ codec_type }) => codec_type === type)
    expect(own[0]?.pts).toBe(0)
    expect(Math.abs(own.at(-1)!.pts + own.at(-1)!.duration - seconds)).toBeLessThan(0.15)
  }
  const second = join(folder, 'second.mp4')
  await writeFile(second, Buffer.concat([init, await readFile(join(folder, '1.m4s'))]))
  expect(await decodeErrors(second)).toBe('')
})

test('a disk that takes nothing ends it, and nothing else', async () => {
  addMember()
  const file = join(folder, 'file')
  await writeFile(file, '')
  folder = await mkdtemp(join(tmpdir(), 'live-segments-'))
  const segments = new LiveSegments({
    folder: join(file, 'below'),
    width: WIDTH,
    height: HEIGHT,
    fps: 20,
    log,
    requestKeyframe: () => room.video.requestKeyframe('H264'),
    onPart: (part) => parts.push(part),
  })
  room.recording = segments
  room.run(2000)
  await segments.stop()
  expect(parts).toEqual([])
  expect(await readdir(folder)).toEqual([])
  await rm(file)
})
