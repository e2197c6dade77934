import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSeconds } from '../cpu-time.ts'
import { enter, filmFor, mediaPriority, watch } from '../live-room.ts'
import { Crowd, type Entrant } from '../load/crowd-process.ts'
import { addTone, FfmpegRoom, QUARTERS, ROOM_CANVAS } from '../media/ffmpeg-room.ts'
import { median } from '../median.ts'
import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { BOUNDS } from './bounds.ts'
import { workUnitUs } from './work-unit.ts'

const MEMBERS = 4
const VIEWERS = 100
/** The joins of this many go on at the same time. */
const JOINS_AT_ONCE = 5
const SETTLE_MS = 3500
const SECONDS = 3
/** The best window counts: other load on the machine makes work dearer, never cheaper. */
const WINDOWS = 2
const UNIT_EVERY_MS = 200

/** Measures the unit of work meanwhile, under the same load of the machine. */
async function withUnit<T>(work: () => Promise<T>): Promise<{ result: T; unitUs: number }> {
  const units: number[] = []
  const timer = setInterval(() => units.push(workUnitUs()), UNIT_EVERY_MS)
  try {
    const result = await work()
    return { result, unitUs: median(units) }
  } finally {
    clearInterval(timer)
  }
}

/** The lowest of some windows. */
async function best(window: () => Promise<number>): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY
  for (let count = 0; count < WINDOWS; count++) lowest = Math.min(lowest, await window())
  return lowest
}

async function guardStillRoom(stage: Stage): Promise<void> {
  const crowd = new Crowd(stage.server)
  try {
    const entrant = { as: 'member', camera: null, sound: null } as const
    await enter(stage, crowd, { room: 'still', people: MEMBERS, entrant })
    await delay(SETTLE_MS)
    const units = await best(async () => {
      const { result, unitUs } = await withUnit(() => watch(stage, [crowd], SECONDS))
      console.log(`still room: ${result.cores.toFixed(3)} cores; a unit ${unitUs.toFixed(1)} us`)
      return (result.cores * 1e6) / unitUs
    })
    const what = `CPU, still room of ${MEMBERS}`
    report({ what, value: units, unit: 'units/s', limit: BOUNDS.stillUnits, direction: 'at most' })
  } finally {
    crowd.close()
  }
}

async function guardRecordedRoom(stage: Stage, crowd: Crowd, ffmpeg: FfmpegRoom): Promise<void> {
  const ratio = await best(async () => {
    const before = cpuSeconds(ffmpeg.pid)
    const { cores, seconds } = await watch(stage, [crowd], SECONDS)
    ffmpeg.confirm()
    const theirs = (cpuSeconds(ffmpeg.pid) - before) / seconds
    console.log(`recorded room: ${cores.toFixed(3)} cores; ffmpeg ${theirs.toFixed(3)}`)
    return cores / theirs
  })
  const what = `CPU, recorded room of ${MEMBERS} at 360p30 / ffmpeg`
  report({ what, value: ratio, limit: BOUNDS.roomToFfmpeg, direction: 'at most' })
}

async function guardAudience(stage: Stage, room: string): Promise<void> {
  const audience = new Crowd(stage.server)
  try {
    const withoutAudience = await best(async () => (await watch(stage, [], SECONDS)).cores)
    const entrances = Array.from({ length: JOINS_AT_ONCE }, () =>
      enter(stage, audience, { room, people: VIEWERS / JOINS_AT_ONCE, entrant: { as: 'viewer' } }),
    )
    await Promise.all(entrances)
    await delay(SETTLE_MS)
    const units = await best(async () => {
      const { result, unitUs } = await withUnit(() => watch(stage, [audience], SECONDS))
      console.log(
        `with audience: ${result.cores.toFixed(3)} cores, ${Math.round(result.packets / result.seconds)} packets a second; a unit ${unitUs.toFixed(1)} us`,
      )
      if (result.packets === 0) throw new Error('the audience sees nothing')
      return ((result.cores - withoutAudience) * result.seconds * 1e6) / result.packets / unitUs
    })
    const what = `CPU, a packet to ${VIEWERS} viewers`
    report({ what, value: units, unit: 'units', limit: BOUNDS.packetUnits, direction: 'at most' })
  } finally {
    audience.close()
  }
}

/** Guards what rooms cost: a still one, a recorded one, and its audience. */
export async function guardRooms(stage: Stage): Promise<void> {
  await guardStillRoom(stage)
  const film = await filmFor(stage, { height: 360, fps: 30 })
  const inOneFile = path.join(stage.server.dataDir, 'camera.webm')
  await addTone(film.file, inOneFile)
  const room = 'recorded'
  await stage.rest.createRoom({ name: room, record_on_start: true })
  const entrant: Entrant = { as: 'member', camera: film, sound: 'tone' }
  const crowd = new Crowd(stage.server)
  const output = path.join(stage.server.dataDir, 'ffmpeg.mp4')
  const ffmpeg = new FfmpegRoom(inOneFile, QUARTERS, ROOM_CANVAS, output, await mediaPriority(stage))
  try {
    await enter(stage, crowd, { room, people: MEMBERS, entrant })
    await delay(SETTLE_MS)
    await guardRecordedRoom(stage, crowd, ffmpeg)
    await ffmpeg.close()
    await guardAudience(stage, room)
  } finally {
    crowd.close()
    await ffmpeg.close()
  }
}
