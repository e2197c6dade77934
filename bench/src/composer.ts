/**
 * Compares the CPU time of a room's composed picture (VP8 cameras in, H264 720p at 20 frames a second out) with an
 * `ffmpeg` command line. ffmpeg decodes the same cameras, scales and stacks them to the same tiles and encodes with the
 * same settings. Both use one thread for each part. Both work as fast as they can; only the CPU time counts.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Tile } from '../../server/src/media/channel.ts'
import { VideoMixer } from '../../server/src/media-worker/mixer/video-mixer.ts'
import { type Area, composeWithFfmpeg } from '../media/ffmpeg-room.ts'
import { ivfFrames, makeFilm } from '../media/film.ts'
import { median } from '../median.ts'
import { quantile } from '../quantile.ts'
import { report } from '../report.ts'

const SECONDS = 6
/** The two take turns, so that other load on the machine affects both. */
const ROUNDS = 3
const CAMERA_FPS = 30
const WIDTH = 1280
const HEIGHT = 720
const FPS = 20
const CANVAS = { width: WIDTH, height: HEIGHT, fps: FPS }
const TICK_MS = 1000 / FPS
const LIMIT = 1.2
/**
 * The quantile of all ticks that is reported. The few slower ticks are due to the garbage collector and other load on
 * the machine.
 */
const USUAL = 0.99

interface Scene {
  members: number
  cameraHeight: 360 | 720
}

const SCENES: Scene[] = [
  { members: 4, cameraHeight: 360 },
  { members: 4, cameraHeight: 720 },
  { members: 9, cameraHeight: 360 },
  { members: 9, cameraHeight: 720 },
]

function gridOf(members: number): (Tile & { memberId: string })[] {
  const columns = Math.ceil(Math.sqrt(members))
  const share = 100 / columns
  return Array.from({ length: members }, (_, index) => ({
    memberId: `member ${index}`,
    x: (index % columns) * share,
    y: Math.floor(index / columns) * share,
    width: share,
    height: share,
  }))
}

interface Cost {
  cpuMs: number
  tickMs: number[]
  areas: Area[]
}

function mixWithParley({ members }: Scene, frames: readonly Buffer[], seconds: number): Cost {
  const mixer = new VideoMixer({
    width: WIDTH,
    height: HEIGHT,
    fps: FPS,
    onFrame: () => {},
    onKeyframeWanted: () => {},
  })
  mixer.setH264Enabled(true)
  const tiles = gridOf(members)
  mixer.setTiles(tiles)
  for (const { memberId } of tiles)
    mixer.setMember({
      memberId,
      name: memberId,
      audioMuted: false,
      videoMuted: false,
      deaf: false,
      inputVolume: 0,
      outputVolume: 0,
      inputSensitivity: 44,
    })
  const tickMs: number[] = []
  const before = process.cpuUsage()
  let next = 0
  for (let nowMs = TICK_MS; nowMs <= seconds * 1000; nowMs += TICK_MS) {
    for (; next < (nowMs * CAMERA_FPS) / 1000 && next < frames.length; next++) {
      const data = frames[next]!
      // RFC 6386 section 9.1: the lowest bit of a keyframe is 0.
      const keyframe = (data[0]! & 1) === 0
      const frame = {
        codec: 'VP8' as const,
        data,
        keyframe,
        rtpTimestamp: next * 3000,
        capturedAtMs: null,
        arrivedAtMs: 0,
        dueAtMs: 0,
      }
      for (const { memberId } of tiles) mixer.pushFrame(memberId, frame)
    }
    const startedMs = performance.now()
    mixer.tick(nowMs)
    tickMs.push(performance.now() - startedMs)
  }
  const { user, system } = process.cpuUsage(before)
  const areas = mixer.tileAreas()
  mixer.stop()
  return { cpuMs: (user + system) / 1000, tickMs, areas }
}

const folder = await mkdtemp(path.join(tmpdir(), 'composer-'))
try {
  for (const scene of SCENES) {
    const camera = path.join(folder, `${scene.cameraHeight}.ivf`)
    const frames = await readFile(camera)
      .catch(async () => {
        await makeFilm(camera, { height: scene.cameraHeight, fps: CAMERA_FPS }, SECONDS)
        return readFile(camera)
      })
      .then(ivfFrames)
    // A warm-up run: in a room that has run for a while, the code is compiled already.
    mixWithParley(scene, frames, 2)
    const ratios: number[] = []
    const cpuMs: number[] = []
    const tickMs: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const parley = mixWithParley(scene, frames, SECONDS)
      ratios.push(parley.cpuMs / (await composeWithFfmpeg(camera, parley.areas, CANVAS)))
      cpuMs.push(parley.cpuMs)
      tickMs.push(...parley.tickMs)
    }
    const name = `${scene.members} members at ${scene.cameraHeight}p`
    report({ what: `CPU, ${name} / ffmpeg`, value: median(ratios), limit: LIMIT, direction: 'at most' })
    report({ what: `CPU, ${name}`, value: median(cpuMs) / 1000 / SECONDS, unit: 'cores' })
    report({ what: `longest tick of a hundred, ${name}`, value: quantile(tickMs, USUAL), unit: 'ms' })
  }
} finally {
  await rm(folder, { recursive: true })
}
