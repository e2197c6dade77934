import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ColourCamera, movingMark } from '../../../testing/media/colour-camera.ts'
import {
  decodeErrors,
  decodeSound,
  listPackets,
  pictureMeans,
  probe,
} from '../../../testing/media/recorded-file.ts'
import { RtmpServer } from '../../../testing/media/rtmp-server.ts'
import { toneAmplitude } from '../../../testing/media/test-listener.ts'
import { HEIGHT, TestRoom, WIDTH } from '../../../testing/media/test-room.ts'
import { ToneMicrophone } from '../../../testing/media/tone-microphone.ts'
import { timePasses } from '../../../testing/time-passes.ts'
import { RtmpStream } from './rtmp-stream.ts'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let room: TestRoom
let cleanUps: (() => unknown)[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rtmp-'))
  room = new TestRoom()
  cleanUps = []
})
afterEach(async () => {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
  room.close()
  await rm(folder, { recursive: true })
})

async function serve(name = 'stream.flv'): Promise<RtmpServer> {
  const server = await RtmpServer.start(join(folder, name))
  cleanUps.push(() => server.kill())
  return server
}

async function start(port: number, url = 'rtmp://live.example.com/app/key') {
  const { promise: lost, resolve: onLost } = Promise.withResolvers<string>()
  const stream = await RtmpStream.start({
    url,
    target: { host: 'live.example.com', address: '127.0.0.1', port, tls: false },
    width: WIDTH,
    height: HEIGHT,
    fps: 20,
    requestKeyframe: () => room.video.requestKeyframe('H264'),
    onLost: (_cause, detail) => onLost(detail),
  })
  room.recording = stream
  cleanUps.push(() => stream.stop())
  return { stream, lost }
}

/** A member in one colour with one tone. */
function addMember(): void {
  const camera = new ColourCamera('VP8', 160, 90, { y: 120, u: 60, v: 200 })
  const microphone = new ToneMicrophone(440)
  cleanUps.push(
    () => camera.close(),
    () => microphone.close(),
  )
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

/** Faster than the clock, but not so fast that a connection could not follow. */
async function run(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    room.run(100)
    await timePasses(20, 'the connection follows')
  }
}

/** Runs the room until something has happened. */
async function runUntil<T>(event: Promise<T>): Promise<T> {
  let happened = false
  const settle = () => {
    happened = true
  }
  event.then(settle, settle)
  while (!happened) await run(100)
  return event
}

test('brings picture and sound of the room to an RTMP server', async () => {
  const server = await serve()
  addMember()
  const { stream } = await start(server.port)
  const startedAt = await runUntil(stream.published)
  expect(Math.abs(startedAt - Date.now())).toBeLessThan(5000)
  await run(5000)
  await stream.stop()
  await server.ended()

  const { streams } = await probe(server.file)
  expect(streams.find(({ codec_type }) => codec_type === 'video')).toMatchObject({
    codec_name: 'h264',
    width: WIDTH,
    height: HEIGHT,
  })
  expect(streams.find(({ codec_type }) => codec_type === 'audio')).toMatchObject({ codec_name: 'aac' })
  expect(await decodeErrors(server.file)).toBe('')
  const packets = await listPackets(server.file)
  const keyframes = packets.filter((packet) => packet.codec_type === 'video' && packet.keyframe)
  const gaps = keyframes.slice(1).map((packet, index) => packet.pts - keyframes[index]!.pts)
  expect(Math.max(...gaps)).toBeLessThan(2.2)
  const pictures = await pictureMeans(server.file)
  expect(pictures.length).toBeGreaterThan(90)
  const last = pictures.at(-1)!
  for (const [found, wanted] of [
    [last.y, 120],
    [last.u, 60],
    [last.v, 200],
  ] as const) {
    expect(Math.abs(found - wanted)).toBeLessThan(12)
  }
  const sound = await decodeSound(server.file)
  const second = sound.subarray(sound.length - 72_000, sound.length - 24_000)
  expect(toneAmplitude(second, 440)).toBeGreaterThan(0.05)
  expect(toneAmplitude(second, 1000)).toBeLessThan(0.01)
})

test('tells the server the address that the customer knows, not the one it goes through', async () => {
  const server = await serve()
  const heard: Buffer[] = []
  const tap = createServer((socket) => {
    const upstream = connect(server.port, '127.0.0.1')
    for (const one of [socket, upstream]) one.on('error', () => {})
    socket.on('data', (data) => heard.push(data))
    socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(tap, 'listening')
  cleanUps.push(() => tap.close())
  const { stream } = await start(
    (tap.address() as AddressInfo).port,
    'rtmp://live.example.com:1936/app/key?a=b:c',
  )
  await runUntil(stream.published)
  // Without the marks between chunks, which fall where they may.
  const said = Buffer.from(Buffer.concat(heard).filter((byte) => byte < 0xc0)).toString('latin1')
  expect(said).toContain('rtmp://live.example.com:1936/app')
  expect(said).toContain('key?a=b:c')
  expect(said).not.toContain('127.0.0.1')
})

test('says why a server does not take it, and leaves nothing behind', async () => {
  const { stream } = await start(9)
  await expect(runUntil(stream.published)).rejects.toThrow(/ECONNREFUSED/)
  await stream.stop()
})

test('is lost with the server, says so once, and holds nobody up', async () => {
  const server = await serve()
  const { stream, lost } = await start(server.port)
  await runUntil(stream.published)
  await server.kill()
  expect(await runUntil(lost)).toMatch(/closed the connection|ECONNRESET|EPIPE|ended by the other party/)
  const stopping = performance.now()
  await stream.stop()
  expect(performance.now() - stopping).toBeLessThan(3000)
})

test('stops within its time while a server keeps silent', async () => {
  const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  cleanUps.push(() => silent.close())
  const { stream } = await start((silent.address() as AddressInfo).port)
  await run(1000)
  const stopping = performance.now()
  await stream.stop()
  expect(performance.now() - stopping).toBeLessThan(4000)
  await expect(stream.published).rejects.toThrow(/stopped/)
})
