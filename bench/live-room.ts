import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuSecondsOf } from './cpu-time.ts'
import type { Crowd, Entrant, FilmedCamera } from './load/crowd-process.ts'
import type { Seen } from './load/downlink.ts'
import { type Camera, makeFilm } from './media/film.ts'
import type { Stage } from './on-a-server.ts'

const FILM_SECONDS = 6

/** Makes the film of a camera in the server's own folder. */
export async function filmFor({ server }: Pick<Stage, 'server'>, camera: Camera): Promise<FilmedCamera> {
  const file = path.join(server.dataDir, `camera-${camera.height}p${camera.fps}.ivf`)
  await makeFilm(file, camera, FILM_SECONDS)
  return { file, ...camera }
}

/** A camera that does as the server asks: it goes over to the first of `less` that is small and slow enough. */
export async function obedientFilmFor(
  stage: Stage,
  camera: Camera,
  less: readonly Camera[],
): Promise<FilmedCamera> {
  const films: FilmedCamera[] = []
  for (const lesser of less) films.push(await filmFor(stage, lesser))
  return { ...(await filmFor(stage, camera)), less: films }
}

/** Lets the same kind of people enter a room, one after another. */
export async function enter(
  { rest }: Stage,
  crowd: Crowd,
  { room, people, entrant }: { room: string; people: number; entrant: Entrant },
): Promise<void> {
  const token = await rest.createRoomToken({
    room_name: room,
    ...(entrant.as === 'viewer' && { join_as: 'audience' }),
  })
  for (let person = 0; person < people; person++) await crowd.join(token, entrant)
}

/** What everybody has seen in a window of time. Rates are per second, of each person. */
export interface Window {
  seconds: number
  /** CPU cores that all processes of the server used together. */
  cores: number
  /** The same for the process of the crowd. */
  crowdCores: number
  picturesPerSecond: number[]
  packets: number
  lost: number
  soundMs: number
  missingSoundMs: number
}

interface Moment {
  atMs: number
  cpu: number
  crowdCpu: number
  seen: Seen[]
}

async function momentOf({ server }: Stage, crowds: readonly Crowd[]): Promise<Moment> {
  const seen = (await Promise.all(crowds.map((crowd) => crowd.seen()))).flat()
  const pids = await server.allPids()
  return {
    seen,
    cpu: cpuSecondsOf(pids),
    crowdCpu: crowds.reduce((sum, crowd) => sum + crowd.cpuSeconds, 0),
    atMs: performance.now(),
  }
}

/** Measures a server and those in its rooms for a while. */
export async function watch(stage: Stage, crowds: readonly Crowd[], seconds: number): Promise<Window> {
  await Promise.all(crowds.map((crowd) => crowd.restartSound()))
  const before = await momentOf(stage, crowds)
  await delay(seconds * 1000)
  const after = await momentOf(stage, crowds)
  const took = (after.atMs - before.atMs) / 1000
  const sum = (of: (seen: Seen) => number, moment: Moment) =>
    moment.seen.reduce((total, seen) => total + of(seen), 0)
  const increase = (of: (seen: Seen) => number) => sum(of, after) - sum(of, before)
  return {
    seconds: took,
    cores: (after.cpu - before.cpu) / took,
    crowdCores: (after.crowdCpu - before.crowdCpu) / took,
    picturesPerSecond: after.seen.map(
      ({ pictures }, index) => (pictures - before.seen[index]!.pictures) / took,
    ),
    packets: increase(({ picturePackets, soundPackets }) => picturePackets + soundPackets),
    lost: increase(({ lost }) => lost),
    soundMs: sum(({ soundMs }) => soundMs, after),
    missingSoundMs: sum(({ missingSoundMs }) => missingSoundMs, after),
  }
}

/** The slowest of some rates. */
export const slowest = (rates: readonly number[]): number => Math.min(...rates)

/** The nice value at which the server composes pictures, once it does: that of the threads of lowest priority. */
export async function mediaPriority({ server }: Stage): Promise<number> {
  const [worker] = await server.mediaWorkers()
  if (!worker) throw new Error('the server has no media worker')
  const threads = readdirSync(`/proc/${worker.pid}/task`).map(Number)
  return Math.max(...threads.map((thread) => getPriority(thread)))
}
