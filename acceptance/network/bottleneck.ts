import path from 'node:path'
import { run } from '../testing/commands.ts'
import { eventually } from '../testing/eventually.ts'
import type { Participant } from '../testing/participant.ts'
import { StolenTimeWatch } from '../testing/stolen-time.ts'
import type { LossyLink } from './lossy-link.ts'

export const WIDE = { kbps: 3000, longestQueueMs: 300 }
const NARROW = { kbps: 600, longestQueueMs: 300 }
export const WAY = { lossPercent: 0, delayMs: 20, jitterMs: 2 }
export const FULL_WIDTH = 1280
const SMALL_WIDTH = 640
/** How long the wide way is watched at first. */
const WIDE_MS = 6000
/** After this at most, a viewer has what its network carries. */
const SETTLES_MS = 4000
/** How long the narrow way is watched. */
const WATCHED_MS = 12_000
/** A viewer who comes back to the full picture is watched for so long after. */
const STAYS_MS = 6000

/** What a viewer behind a bottleneck and another viewer got. Shares are 0 to 1. */
export interface BottleneckSeen {
  /** From the moment that the way got narrow, or wide, until the picture had another size. */
  downAfterMs: number
  upAfterMs: number
  /** Of the viewer behind the bottleneck while it was narrow. */
  framesPerSecond: number
  /** Speech that its browser made up: before, from the moment that the way got narrow, and once all had settled. */
  concealedBefore: number
  concealedAtAll: number
  concealed: number
  /** Changes of the size of its picture. */
  changes: number
  nearFramesPerSecond: number
  /** Processor time that the machine's host took away while the narrow way was watched. */
  stolenShare: number
}

/** Makes the file of a camera whose picture changes everywhere all the time, so that the room's picture takes all of its bitrate. */
export async function busyCamera(directory: string): Promise<string> {
  const file = path.join(directory, 'busy.y4m')
  const picture = 'testsrc2=size=640x360:rate=15:duration=4,noise=alls=30:allf=t,format=yuv420p'
  await run('ffmpeg', ['-v', 'error', '-y', '-f', 'lavfi', '-i', picture, '-f', 'yuv4mpegpipe', file])
  return file
}

/** Width of the picture that arrives. */
export async function widthAt(viewer: Participant): Promise<number> {
  return (await viewer.ask('receivedVideo'))?.frameWidth ?? 0
}

async function counters(viewer: Participant) {
  const [audio, video] = await Promise.all([viewer.ask('receivedAudio'), viewer.ask('receivedVideo')])
  if (audio === null || video === null) throw new Error(`${viewer.name} receives nothing`)
  return { audio, video }
}

type Counters = Awaited<ReturnType<typeof counters>>

function concealed({ audio: from }: Counters, { audio: to }: Counters): number {
  const silent = to.silentConcealedSamples - from.silentConcealedSamples
  const samples = to.totalSamplesReceived - from.totalSamplesReceived
  return (to.concealedSamples - from.concealedSamples - silent) / samples
}

/** Waits for another width. @returns how long that took */
async function changesTo(viewer: Participant, width: number, timeoutMs: number): Promise<number> {
  const fromMs = Date.now()
  await eventually(
    `the picture is ${width} wide`,
    () => widthAt(viewer),
    (seen) => seen === width,
    { timeoutMs },
  )
  return Date.now() - fromMs
}

/** Makes the way to the far viewer narrow for a while, and measures what it and the near viewer get. */
export async function watchBottleneck(
  link: LossyLink,
  near: Participant,
  far: Participant,
): Promise<BottleneckSeen> {
  link.spoil(WAY, WIDE)
  await changesTo(far, FULL_WIDTH, 20_000)
  const wide = await counters(far)
  await far.watchPace(WIDE_MS)
  const before = { near: await counters(near), far: await counters(far), atMs: Date.now() }
  link.spoil(WAY, NARROW)
  const downAfterMs = await changesTo(far, SMALL_WIDTH, 15_000)
  await far.watchPace(Math.max(0, SETTLES_MS - downAfterMs))
  const settled = await counters(far)
  const stolen = new StolenTimeWatch()
  const watchedFromMs = Date.now()
  const shown = await far.watchPace(WATCHED_MS)
  await stolen.end()
  const watched = await counters(far)
  const changedBack = (await widthAt(far)) === SMALL_WIDTH ? 0 : 1
  link.spoil(WAY, WIDE)
  const upAfterMs = await changesTo(far, FULL_WIDTH, 90_000)
  await far.watchPace(STAYS_MS)
  const changedAgain = (await widthAt(far)) === FULL_WIDTH ? 0 : 1
  const after = await counters(near)
  const frames = after.video.framesDecoded - before.near.video.framesDecoded
  return {
    downAfterMs,
    upAfterMs,
    framesPerSecond: (shown.length * 1000) / WATCHED_MS,
    concealedBefore: concealed(wide, before.far),
    concealedAtAll: concealed(before.far, watched),
    concealed: concealed(settled, watched),
    changes: 2 + changedBack + changedAgain,
    nearFramesPerSecond: (frames * 1000) / (Date.now() - before.atMs),
    stolenShare: stolen.between(watchedFromMs, watchedFromMs + WATCHED_MS) / WATCHED_MS,
  }
}
