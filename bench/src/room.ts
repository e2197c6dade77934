/**
 * CPU time of a whole live room of four that is recorded: all processes of the server, with sockets, transport, sound,
 * composing and the file. Compared with an `ffmpeg` that does the same to the same pictures and sound, but gets them
 * from files: decode, scale, stack, encode, mix and write an MP4, in real time and with the same priority. Both run at
 * the same time, so that the same other load, clock rate and caches affect both.
 */
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds } from '../cpu-time.ts'
import { enter, filmFor, mediaPriority, slowest, watch } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { addTone, FfmpegRoom, QUARTERS, ROOM_CANVAS } from '../media/ffmpeg-room.ts'
import { median } from '../median.ts'
import { onAServer } from '../on-a-server.ts'
import { report } from '../report.ts'

const MEMBERS = 4
const SCENES = [
  { camera: { height: 720, fps: 30 }, limit: 1.15 },
  { camera: { height: 360, fps: 30 }, limit: 1.25 },
] as const
const SETTLE_MS = 8000
const SECONDS = 12
const WINDOWS = 3
/** A room that shows less does less work. */
const LEAST_FPS = 19

for (const { camera, limit } of SCENES) {
  const name = `4 members at ${camera.height}p${camera.fps}`
  await onAServer(`room-${camera.height}`, {}, async (stage) => {
    const film = await filmFor(stage, camera)
    const inOneFile = path.join(stage.server.dataDir, 'camera.webm')
    await addTone(film.file, inOneFile)
    await stage.rest.createRoom({ name: 'live', record_on_start: true })
    const crowd = new Crowd(stage.server)
    const output = path.join(stage.server.dataDir, 'ffmpeg.mp4')
    let ffmpeg: FfmpegRoom | null = null
    try {
      await enter(stage, crowd, {
        room: 'live',
        people: MEMBERS,
        entrant: { as: 'member', camera: film, sound: 'tone' },
      })
      ffmpeg = new FfmpegRoom(inOneFile, QUARTERS, ROOM_CANVAS, output, await mediaPriority(stage))
      await delay(SETTLE_MS)
      const [ratios, own, theirs]: [number[], number[], number[]] = [[], [], []]
      for (let window = 0; window < WINDOWS; window++) {
        const before = cpuSeconds(ffmpeg.pid)
        const seen = await watch(stage, [crowd], SECONDS)
        const peer = (cpuSeconds(ffmpeg.pid) - before) / seen.seconds
        ffmpeg.confirm()
        if (slowest(seen.picturesPerSecond) < LEAST_FPS)
          throw new Error(`a member saw ${slowest(seen.picturesPerSecond).toFixed(1)} pictures a second`)
        console.log(
          `${name}: ${seen.cores.toFixed(3)} cores, ffmpeg ${peer.toFixed(3)}; the crowd ${seen.crowdCores.toFixed(3)}`,
        )
        ratios.push(seen.cores / peer)
        own.push(seen.cores)
        theirs.push(peer)
      }
      const sessions = await stage.rest.sessionsOf('live')
      const recordings = await stage.rest.sessionRecordings(sessions[0]?.id ?? '')
      if (recordings[0]?.status !== 'recording') throw new Error('the room is not recorded')
      const what = `CPU, recorded room, ${name}`
      report({ what: `${what} / ffmpeg`, value: median(ratios), limit, direction: 'at most' })
      report({ what, value: median(own), unit: 'cores' })
      report({ what: `${what}, ffmpeg`, value: median(theirs), unit: 'cores' })
    } finally {
      crowd.close()
      await ffmpeg?.close()
    }
  })
}
