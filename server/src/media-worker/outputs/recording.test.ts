import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { RecordingResult } from '../../media/channel.ts'
import { ColourCamera, movingMark } from '../../testing/media/colour-camera.ts'
import {
  decodeErrors,
  decodeSound,
  listPackets,
  pictureMeans,
  probe,
  soundOnsets,
} from '../../testing/media/recorded-file.ts'
import { toneAmplitude } from '../../testing/media/test-listener.ts'
import { HEIGHT, TestRoom, WIDTH } from '../../testing/media/test-room.ts'
import { ToneMicrophone } from '../../testing/media/tone-microphone.ts'
import type { YuvColour } from '../codecs/picture.ts'
import { Recording } from './recording.ts'

// Ten seconds of room are encoded, and decoded again by ffmpeg, as fast as the machine can.
vi.setConfig({ testTimeout: 60_000 })

const DARK: YuvColour = { y: 30, u: 128, v: 128 }
const WHITE: YuvColour = { y: 235, u: 128, v: 128 }
const WHOLE = { x: 0, y: 0, width: 100, height: 100 }

let folder: string
let room: TestRoom
const failures: [string, RecordingResult | null][] = []
const closeables: { close(): void }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recording-'))
  room = new TestRoom()
  failures.length = 0
})

afterEach(async () => {
  room.close()
  for (const closeable of closeables.splice(0)) closeable.close()
  await rm(folder, { recursive: true })
})

async function record(name = 'room.mp4'): Promise<{ recording: Recording; file: string }> {
  const file = join(folder, name)
  const recording = await Recording.start({
    recordingId: 'r1',
    file,
    width: WIDTH,
    height: HEIGHT,
    fps: 20,
    requestKeyframe: () => room.video.requestKeyframe('H264'),
    onFailed: (reason, result) => failures.push([reason, result]),
  })
  room.recording = recording
  return { recording, file }
}

/** One member whose camera sends 30 frames a second of `colour`, and whose microphone hears `frequency`. */
function addMember(
  frequency: number,
  colour: YuvColour,
): { camera: ColourCamera; microphone: ToneMicrophone } {
  const camera = new ColourCamera('VP8', 160, 90, colour)
  const microphone = new ToneMicrophone(frequency)
  closeables.push(camera, microphone)
  room.setMember('a')
  room.setTiles([{ memberId: 'a', ...WHOLE }])
  room.audio.addSource('a', 'a', microphone)
  let next = room.nowMs
  room.onMillisecond = (nowMs) => {
    if (nowMs < next) return
    next += 33
    room.pushFrame('a', camera.capture(nowMs, movingMark(nowMs), nowMs - 20))
  }
  return { camera, microphone }
}

test('starts with sound and picture at 0 and ends as an ordinary MP4 of the true length', async () => {
  addMember(440, WHITE)
  room.run(1234)
  const { recording, file } = await record()
  room.run(10_000)
  const stoppedMs = performance.now()
  const result = await recording.stop()
  expect(performance.now() - stoppedMs).toBeLessThan(2000)

  const { format, streams } = await probe(file)
  expect(format.format_name).toContain('mp4')
  expect(Math.abs(Number(format.duration) * 1000 - result.durationMs)).toBeLessThan(30)
  expect(result.durationMs).toBeGreaterThan(9900)
  expect(result.durationMs).toBeLessThan(10_060)
  expect(result.sizeInBytes).toBe((await stat(file)).size)
  expect(result.recordingId).toBe('r1')
  expect(result.startedAt).toBe(await recording.started)
  expect(streams).toHaveLength(2)
  const video = streams.find((stream) => stream.codec_type === 'video')
  const audio = streams.find((stream) => stream.codec_type === 'audio')
  expect(video).toMatchObject({
    codec_name: 'h264',
    profile: 'Constrained Baseline',
    width: WIDTH,
    height: HEIGHT,
  })
  expect(video).toMatchObject({ color_space: 'smpte170m', color_range: 'tv', start_time: '0.000000' })
  expect(audio).toMatchObject({
    codec_name: 'aac',
    profile: 'LC',
    sample_rate: '48000',
    start_time: '0.000000',
  })

  const packets = await listPackets(file)
  for (const type of ['audio', 'video'] as const) {
    const own = packets.filter((packet) => packet.codec_type === type)
    expect(own[0]?.pts).toBe(0)
    for (let index = 1; index < own.length; index++)
      expect(own[index]!.pts).toBeGreaterThan(own[index - 1]!.pts)
  }
  const frames = packets.filter((packet) => packet.codec_type === 'video')
  expect(frames[0]?.keyframe).toBe(true)
  expect(frames.length).toBeGreaterThanOrEqual(198)
  const keyframes = frames.filter((frame) => frame.keyframe).map((frame) => frame.pts)
  expect(keyframes).toHaveLength(5)
  for (let index = 1; index < 5; index++) expect(keyframes[index]! - keyframes[index - 1]!).toBeCloseTo(2, 1)

  // An index for the whole, and no fragment left.
  expect(await boxTypes(file)).toEqual(['ftyp', 'free', 'mdat', 'moov'])
  expect(await decodeErrors(file)).toBe('')
  const [first] = await pictureMeans(file)
  expect(first?.y).toBeGreaterThan(225)
  const sound = await decodeSound(file)
  expect(toneAmplitude(sound.subarray(0, 24_000), 440)).toBeGreaterThan(0.2)
  expect(toneAmplitude(sound.subarray(-24_000), 440)).toBeGreaterThan(0.2)
})

async function boxTypes(file: string): Promise<string[]> {
  const data = await readFile(file)
  const types: string[] = []
  for (let at = 0; at + 8 <= data.length; at += Math.max(8, data.readUInt32BE(at)))
    types.push(data.toString('latin1', at + 4, at + 8))
  return types
}

/** Every second a flash and a beep of 200 ms, at the same moment in front of the member's camera and microphone. */
const FLASH_MS = 200

class BeepingMicrophone extends ToneMicrophone {
  override listen(pcm: Float32Array, capturedAtMs: number): void {
    for (let index = 0; index < pcm.length; index++) {
      const atMs = capturedAtMs + index / 48
      pcm[index] = atMs % 1000 < FLASH_MS ? 0.4 * Math.sin((2 * Math.PI * 1000 * atMs) / 1000) : 0
    }
  }
}

test.each([
  ['a short jitter buffer', 40, 15],
  ['a usual jitter buffer', 110, 15],
  ['a long jitter buffer', 280, 30],
  ['pictures later than the sound', 60, 150],
  ['pictures much later than the sound', 60, 260],
])('keeps a flash and its beep together with %s', async (_name, soundAgeMs, pictureAgeMs) => {
  const camera = new ColourCamera('VP8', 160, 90, DARK)
  const microphone = new BeepingMicrophone(1000, 0.4, soundAgeMs)
  closeables.push(camera, microphone)
  room.setMember('a')
  room.setTiles([{ memberId: 'a', ...WHOLE }])
  room.audio.addSource('a', 'a', microphone)
  let nextCaptureMs = room.nowMs
  room.onMillisecond = (nowMs) => {
    if (nowMs - pictureAgeMs < nextCaptureMs) return
    const capturedAtMs = nextCaptureMs
    nextCaptureMs += 1000 / 30
    camera.colour = capturedAtMs % 1000 < FLASH_MS ? WHITE : DARK
    room.pushFrame('a', camera.capture(nowMs, undefined, capturedAtMs))
  }
  // People are in the room for a moment before the recording starts.
  room.run(2500)
  const { recording, file } = await record()
  room.run(8000)
  await recording.stop()

  const beeps = soundOnsets(await decodeSound(file), 0.15)
  const pictures = await pictureMeans(file)
  const flashes = pictures.filter(({ y }, index) => y > 130 && index > 0 && pictures[index - 1]!.y <= 130)
  expect(beeps.length).toBeGreaterThanOrEqual(7)
  expect(flashes.length).toBeGreaterThanOrEqual(7)
  for (const beepMs of beeps) {
    const offsets = flashes.map(({ atMs }) => atMs - beepMs).sort((a, b) => Math.abs(a) - Math.abs(b))
    expect(
      Math.abs(offsets[0]!),
      `flash ${offsets[0]} ms after the beep at ${beepMs} ms`,
    ).toBeLessThanOrEqual(80)
  }
})

test('a room in which nothing moves is recorded without gaps, in both tracks to the end', async () => {
  room.setMember('a')
  room.setTiles([{ memberId: 'a', ...WHOLE }])
  room.run(3000)
  const { recording, file } = await record()
  room.run(7300)
  const { durationMs } = await recording.stop()
  expect(Math.abs(durationMs - 7300)).toBeLessThan(100)
  const packets = await listPackets(file)
  const pictures = packets.filter((packet) => packet.codec_type === 'video')
  expect(pictures.length).toBeLessThan(25)
  expect(pictures.filter(({ keyframe }) => keyframe)).toHaveLength(4)
  for (const [index, { pts, duration }] of pictures.entries()) {
    const endMs = pictures[index + 1] ? pictures[index + 1]!.pts * 1000 : durationMs
    expect(Math.abs((pts + duration) * 1000 - endMs)).toBeLessThan(2)
  }
  expect(await decodeErrors(file)).toBe('')
})

test('leaves out what happens during a pause, and goes on in sync', async () => {
  const { camera, microphone } = addMember(440, { y: 81, u: 90, v: 240 })
  room.run(200)
  const { recording, file } = await record()
  room.run(3000)
  recording.pause()
  recording.pause()
  camera.colour = { y: 145, u: 54, v: 34 }
  microphone.frequency = 1500
  room.run(4321)
  camera.colour = { y: 41, u: 240, v: 110 }
  microphone.frequency = 900
  // What is on its way at the end of the pause is still of the pause.
  room.run(300)
  recording.resume()
  recording.resume()
  room.run(3000)
  const { durationMs } = await recording.stop()
  expect(durationMs).toBeGreaterThan(5850)
  expect(durationMs).toBeLessThan(6100)

  const pictures = await pictureMeans(file)
  // Never green.
  for (const { u, v } of pictures) expect(u < 80 && v < 80).toBe(false)
  const firstBlueMs = pictures.find(({ u }) => u > 200)?.atMs ?? 0
  expect(firstBlueMs).toBeGreaterThan(2900)
  expect(firstBlueMs).toBeLessThan(3100)
  for (let index = 1; index < pictures.length; index++) {
    const step = pictures[index]!.atMs - pictures[index - 1]!.atMs
    expect(step).toBeGreaterThan(0)
    expect(step).toBeLessThan(120)
  }
  const sound = await decodeSound(file)
  expect(Math.abs(sound.length / 48 - durationMs)).toBeLessThan(60)
  expect(toneAmplitude(sound, 1500)).toBeLessThan(0.01)
  expect(toneAmplitude(sound.subarray(24_000, 120_000), 440)).toBeGreaterThan(0.2)
  expect(toneAmplitude(sound.subarray(168_000, 264_000), 900)).toBeGreaterThan(0.2)
  expect(toneAmplitude(sound.subarray(153_600), 440)).toBeLessThan(0.02)
  expect(await decodeErrors(file)).toBe('')
})

test('many pauses do not add up to an offset', async () => {
  addMember(440, WHITE)
  room.run(200)
  const { recording, file } = await record()
  for (let round = 0; round < 12; round++) {
    room.run(487)
    recording.pause()
    room.run(213 + 31 * round)
    recording.resume()
  }
  room.run(487)
  await recording.stop()
  const packets = await listPackets(file)
  const end = (type: string) =>
    Math.max(
      ...packets.filter((packet) => packet.codec_type === type).map((packet) => packet.pts + packet.duration),
    )
  expect(Math.abs(end('audio') - end('video'))).toBeLessThan(0.08)
  for (const type of ['audio', 'video']) {
    const own = packets.filter((packet) => packet.codec_type === type)
    for (let index = 1; index < own.length; index++)
      expect(own[index]!.pts).toBeGreaterThan(own[index - 1]!.pts)
  }
  expect(await decodeErrors(file)).toBe('')
})

test('a pause at the very start, and a stop during a pause', async () => {
  addMember(440, WHITE)
  const { recording, file } = await record()
  recording.pause()
  room.run(1000)
  recording.resume()
  room.run(1000)
  recording.pause()
  room.run(1000)
  const { durationMs } = await recording.stop()
  expect(Math.abs(durationMs - 1000)).toBeLessThan(80)
  const { streams } = await probe(file)
  for (const stream of streams) expect(stream.start_time).toBe('0.000000')
})

test('fills missing sound with silence and keeps what follows in its place', async () => {
  addMember(440, WHITE)
  const { recording, file } = await record()
  room.run(2000)
  const { onMillisecond } = room
  const writeMix = recording.writeMix.bind(recording)
  recording.writeMix = () => {}
  room.run(1000)
  recording.writeMix = writeMix
  room.onMillisecond = onMillisecond
  room.run(1000)
  await recording.stop()
  const sound = await decodeSound(file)
  expect(toneAmplitude(sound.subarray(48_000, 91_000), 440)).toBeGreaterThan(0.2)
  expect(toneAmplitude(sound.subarray(100_000, 140_000), 440)).toBeLessThan(0.01)
  expect(toneAmplitude(sound.subarray(150_000, 185_000), 440)).toBeGreaterThan(0.2)
})

test('does not touch a file that is there, and says why it cannot start', async () => {
  await writeFile(join(folder, 'precious.mp4'), 'precious')
  await expect(record('precious.mp4')).rejects.toThrow('EEXIST')
  expect(await readFile(join(folder, 'precious.mp4'), 'utf8')).toBe('precious')
  await expect(record('no/such/folder.mp4')).rejects.toThrow('ENOENT')
})

test('stopped before its first picture there is nothing, and no file', async () => {
  const { recording, file } = await record()
  await expect(recording.stop()).rejects.toThrow('nothing was recorded')
  await expect(recording.stop()).rejects.toThrow('nothing was recorded')
  await expect(recording.started).rejects.toThrow()
  await expect(stat(file)).rejects.toThrow('ENOENT')
  recording.pause()
  recording.resume()
  room.run(200)
  expect(failures).toEqual([])
})

test('tells when its first picture is in the file', async () => {
  addMember(440, WHITE)
  const { recording, file } = await record()
  room.run(60)
  const startedAt = await recording.started
  expect(Math.abs(startedAt - Date.now() - (room.nowMs - performance.now()))).toBeLessThan(200)
  expect((await stat(file)).size).toBeGreaterThan(1000)
  room.run(500)
  const [one, two] = await Promise.all([recording.stop(), recording.stop()])
  expect(one).toBe(two)
})
