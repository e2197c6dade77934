/**
 * One room with ten members and an audience that grows in steps: what the audience sees, what is lost on the way, what all
 * processes of the server use, and how long somebody who enters waits for the first picture. The audience is simulated in
 * processes of their own on the same machine. What they use is told apart, but they share the cores with the server. What a
 * further viewer costs is told too, for machines on which the last step leaves the server too little.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { enter, filmFor, slowest, type Window, watch } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { onAServer, type Stage } from '../on-a-server.ts'
import { quantile } from '../quantile.ts'
import { report } from '../report.ts'

const MEMBERS = 10
const SPEAKERS = 3
const CROWDS = 2
const JOINS_PER_SECOND = 25
const SETTLE_MS = 6000
const SECONDS = 20
const ROOM = 'large'

interface Step {
  viewers: number
  leastFps: number
  mostLostPercent: number
  mostCores: number
  mostFirstPictureMs: number
}

const STEPS: Step[] = [
  { viewers: 300, leastFps: 19.5, mostLostPercent: 0, mostCores: 1, mostFirstPictureMs: 1000 },
  { viewers: 600, leastFps: 19.5, mostLostPercent: 0.1, mostCores: 2, mostFirstPictureMs: 1000 },
  { viewers: 1000, leastFps: 19.5, mostLostPercent: 0.1, mostCores: 2, mostFirstPictureMs: 1000 },
]

/** Nothing stands in the way of many people behind one address. */
const ENV = { PARLEY_CONNECTIONS_PER_ADDRESS: '0', PARLEY_CONNECTIONS_PER_TOKEN: '0' }

interface Audience {
  crowds: readonly Crowd[]
  token: string
  admitted: number
}

async function fill(stage: Stage): Promise<Crowd> {
  const film = await filmFor(stage, { height: 360, fps: 20 })
  const crowd = new Crowd(stage.server)
  const member = { as: 'member', camera: film } as const
  const speaker = { ...member, sound: 'tone' } as const
  const listener = { ...member, sound: 'silence' } as const
  await enter(stage, crowd, { room: ROOM, people: SPEAKERS, entrant: speaker })
  await enter(stage, crowd, { room: ROOM, people: MEMBERS - SPEAKERS, entrant: listener })
  return crowd
}

/** Lets more people enter at a steady rate, whether or not those before have been let in. */
async function admit(audience: Audience, viewers: number): Promise<void> {
  const { crowds, token } = audience
  const joins: Promise<void>[] = []
  const refusals = new Map<string, number>()
  for (let viewer = 0; viewer < viewers; viewer++) {
    const join = crowds[viewer % crowds.length]!.join(token, { as: 'viewer' })
    joins.push(
      join.then(
        () => {
          audience.admitted++
        },
        ({ message }: Error) => {
          refusals.set(message, (refusals.get(message) ?? 0) + 1)
        },
      ),
    )
    await delay(1000 / JOINS_PER_SECOND)
  }
  await Promise.all(joins)
  for (const [message, count] of refusals) console.log(`${count} were not let in: ${message}`)
}

/** @returns milliseconds from the first step of a join to the first picture, of all who began since then */
async function firstPictures({ crowds }: Audience, sinceUnixMs: number): Promise<number[]> {
  return (await Promise.all(crowds.map((crowd) => crowd.seen())))
    .flat()
    .filter(({ startedAtUnixMs }) => startedAtUnixMs >= sinceUnixMs)
    .map(({ firstPictureMs }) => firstPictureMs ?? Number.POSITIVE_INFINITY)
}

async function measure(stage: Stage, members: Crowd, audience: Audience, step: Step): Promise<Window> {
  const beganAtUnixMs = Date.now()
  await admit(audience, step.viewers - audience.admitted)
  await delay(SETTLE_MS)
  const [seen, seenByMembers] = await Promise.all([
    watch(stage, audience.crowds, SECONDS),
    watch(stage, [members], SECONDS),
  ])
  console.log(
    `${audience.admitted} of ${step.viewers} viewers: ${Math.round(seen.packets / seen.seconds)} packets a second; the members saw ${slowest(seenByMembers.picturesPerSecond).toFixed(1)} pictures a second or more; the audience itself used ${seen.crowdCores.toFixed(2)} cores, the members ${seenByMembers.crowdCores.toFixed(2)}`,
  )
  tell(step, audience.admitted, seen, await firstPictures(audience, beganAtUnixMs))
  return seen
}

function tell(step: Step, admitted: number, seen: Window, waitsMs: readonly number[]): void {
  const who = `${MEMBERS} members and ${step.viewers} viewers`
  const atMost = (what: string, value: number, unit: string, limit: number) =>
    report({ what: `${what}, ${who}`, value, unit, limit, direction: 'at most' })
  const atLeast = (what: string, value: number, limit: number) =>
    report({ what: `${what}, ${who}`, value, limit, direction: 'at least' })
  atLeast('let in', admitted, step.viewers)
  atLeast('pictures a second seen by 95 %', quantile(seen.picturesPerSecond, 0.05), step.leastFps)
  atMost('packets lost', (100 * seen.lost) / (seen.packets + seen.lost), '%', step.mostLostPercent)
  atMost('CPU', seen.cores, 'cores', step.mostCores)
  if (waitsMs.length > 0)
    atMost('join to the first picture, 95 %', quantile(waitsMs, 0.95), 'ms', step.mostFirstPictureMs)
  report({
    what: `CPU, ${who}`,
    value: (seen.cores * seen.seconds * 1e6) / seen.packets,
    unit: 'us a packet seen',
  })
}

/**
 * What a viewer costs beyond those of the first step, and what that makes of the last step where nothing else wants the cores. Says
 * nothing where the server refused some, or had no time for all pictures: what they cost then is something else.
 */
function extrapolate(windows: readonly Window[]): void {
  const [first, second] = windows
  const [from, to, last] = STEPS
  if (!first || !second || !from || !to || !last) return
  const isWhole = (window: Window, { viewers, leastFps }: Step) =>
    window.picturesPerSecond.length === viewers && slowest(window.picturesPerSecond) >= leastFps
  if (!isWhole(first, from) || !isWhole(second, to)) return
  const cores = (second.cores - first.cores) / (to.viewers - from.viewers)
  report({
    what: `CPU of a further viewer, from ${from.viewers} to ${to.viewers}`,
    value: cores * 1000,
    unit: 'ms a second',
  })
  report({
    what: `CPU, ${MEMBERS} members and ${last.viewers} viewers, extrapolated`,
    value: second.cores + cores * (last.viewers - to.viewers),
    unit: 'cores',
    limit: last.mostCores,
    direction: 'at most',
  })
}

await onAServer('audience', ENV, async (stage) => {
  const members = await fill(stage)
  const crowds = Array.from({ length: CROWDS }, () => new Crowd(stage.server))
  try {
    const token = await stage.rest.createRoomToken({ room_name: ROOM, join_as: 'audience' })
    const audience: Audience = { crowds, token, admitted: 0 }
    const windows: Window[] = []
    for (const step of STEPS) windows.push(await measure(stage, members, audience, step))
    extrapolate(windows)
  } finally {
    for (const crowd of [members, ...crowds]) crowd.close()
  }
})
