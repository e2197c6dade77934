/**
 * Compares the CPU time of a room that plays a file (H264 and AAC, 720p at 30 frames a second, over HTTP) with an
 * `ffmpeg` command line. ffmpeg decodes the same file, lays it on a picture of the same size and rate, and encodes
 * picture and sound as the room does. Both work in real time, where the same work takes more CPU time than in one go:
 * between two pictures the processor's caches are used by others.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { AudioMixer } from '../../server/src/media-worker/mixer/audio-mixer.ts'
import { defaultVideoBitrateBps } from '../../server/src/media-worker/mixer/video-bitrate.ts'
import { VideoMixer } from '../../server/src/media-worker/mixer/video-mixer.ts'
import { RoomPlaybacks } from '../../server/src/media-worker/playback/room-playbacks.ts'
import { FileServer } from '../../server/src/testing/media/file-server.ts'
import { median } from '../median.ts'
import { report } from '../report.ts'

const run = promisify(execFile)

/** Measured time of each room. */
const SECONDS = 8
/** In this time the code is compiled, as in a room that has run for a while. */
const WARM_UP_SECONDS = 4
/** The two take turns, so that other load on the machine affects both. */
const ROUNDS = 3
const WIDTH = 1280
const HEIGHT = 720
const FPS = 20
const LIMIT = 1.2
const FILE = 'film.mp4'

/** Where the file is shown, in percent of the picture. */
interface Scene {
  name: string
  tile: { x: number; y: number; width: number; height: number }
}

const SCENES: Scene[] = [
  { name: 'whole picture', tile: { x: 0, y: 0, width: 100, height: 100 } },
  { name: 'half as wide and high', tile: { x: 25, y: 25, width: 50, height: 50 } },
]

/** Creates a moving test picture with camera-like noise, so that it is not too easy to decode or encode. */
async function film(file: string): Promise<void> {
  const seconds = WARM_UP_SECONDS + SECONDS + 4
  const picture = `testsrc2=size=${WIDTH}x${HEIGHT}:rate=30:duration=${seconds},noise=alls=6:allf=t`
  const encoders = '-pix_fmt yuv420p -c:v libx264 -preset veryfast -b:v 2500k -g 60 -c:a aac -ar 48000 -ac 2'
  const inputs = ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', `sine=440:r=48000:d=${seconds}`]
  await run('ffmpeg', ['-v', 'error', ...inputs, ...encoders.split(' '), '-movflags', '+faststart', file])
}

/** @returns CPU seconds of this process for each second of the film */
async function playInRoom({ tile }: Scene, server: FileServer): Promise<number> {
  const video = new VideoMixer({
    width: WIDTH,
    height: HEIGHT,
    fps: FPS,
    onFrame: () => {},
    onKeyframeWanted: () => {},
  })
  const audio = new AudioMixer({ onPacket: () => {}, onMix: () => {}, onTalking: () => {} })
  const { hostname: host, port } = new URL(server.url(FILE))
  const playbacks = new RoomPlaybacks({
    video,
    audio,
    log: pino({ level: 'silent' }),
    onChanged: () => {},
    onEnded: (_, reason) => console.log(`the playback ended: ${reason}`),
    onAddressWanted: ({ questionId }) =>
      playbacks.giveAddress(questionId, { host, address: host, port: Number(port), tls: false }),
  })
  video.setH264Enabled(true)
  video.setTiles([{ playbackId: FILE, ...tile }])
  video.start()
  audio.start()
  try {
    await playbacks.startPlayback({ playbackId: FILE, url: server.url(FILE), volume: 0, positionMs: 0 })
    await delay(WARM_UP_SECONDS * 1000)
    const before = process.cpuUsage()
    const startedMs = performance.now()
    await delay(SECONDS * 1000)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / (performance.now() - startedMs)
  } finally {
    await playbacks.close()
    video.stop()
    audio.stop()
  }
}

/** @returns CPU seconds for each second of the film */
async function playWithFfmpeg({ tile }: Scene, file: string): Promise<number> {
  const [x, y, width, height] = [
    (tile.x * WIDTH) / 100,
    (tile.y * HEIGHT) / 100,
    (tile.width * WIDTH) / 100,
    (tile.height * HEIGHT) / 100,
  ]
  const scale = width === WIDTH ? '' : `,scale=${width}:${height}:flags=area`
  const filters = `color=black:size=${WIDTH}x${HEIGHT}:rate=${FPS}[canvas];[0:v]fps=${FPS}${scale}[film];[canvas][film]overlay=${x}:${y}:shortest=1[picture]`
  const bitrate = String(defaultVideoBitrateBps(WIDTH, HEIGHT, FPS))
  const threads = '-filter_threads 1 -filter_complex_threads 1 -threads 1'
  const picture = `-pix_fmt yuv420p -c:v libx264 -threads 1 -preset superfast -tune zerolatency -profile:v baseline -sc_threshold 0 -g 1200 -b:v ${bitrate} -maxrate ${bitrate} -bufsize ${bitrate}`
  const sound = '-c:a libopus -ar 48000 -ac 2 -frame_duration 20'
  const { stderr } = await run('ffmpeg', [
    ...'-hide_banner -v info -nostats -benchmark'.split(' '),
    ...threads.split(' '),
    ...[
      '-re',
      '-t',
      String(SECONDS),
      '-i',
      file,
      '-filter_complex',
      filters,
      '-map',
      '[picture]',
      '-map',
      '0:a',
    ],
    ...picture.split(' '),
    ...sound.split(' '),
    ...['-f', 'null', '-'],
  ])
  const times = /bench: utime=([\d.]+)s stime=([\d.]+)s/.exec(stderr)
  if (!times) throw new Error(`ffmpeg told no times: ${stderr.slice(-500)}`)
  return (Number(times[1]) + Number(times[2])) / SECONDS
}

const folder = await mkdtemp(path.join(tmpdir(), 'playback-'))
const file = path.join(folder, FILE)
const server = await FileServer.start(folder)
try {
  await film(file)
  for (const scene of SCENES) {
    const [ratios, cores]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      const own = await playInRoom(scene, server)
      ratios.push(own / (await playWithFfmpeg(scene, file)))
      cores.push(own)
    }
    const what = `CPU, a 720p30 file, ${scene.name}`
    report({ what: `${what} / ffmpeg`, value: median(ratios), limit: LIMIT, direction: 'at most' })
    report({ what, value: median(cores), unit: 'cores' })
  }
} finally {
  await server.close()
  await rm(folder, { recursive: true })
}
