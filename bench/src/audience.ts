/**
 * One room with ten members and a large audience: what the audience sees, what is lost on the way, what all processes
 * of the server use, and how long somebody who enters waits for the first picture. The audience is simulated in
 * processes of their own on the same machine. What they use is told apart, but they share the cores with the server.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { enter, filmFor, slowest, watch } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { onAServer, type Stage } from '../on-a-server.ts'
import { quantile } from '../quantile.ts'
import { report } from '../report.ts'

const MEMBERS = 10
const SPEAKERS = 3
/** A process reads the packets of this many, so that the audience can use several cores. */
const VIEWERS_PER_PROCESS = 250
const JOINS_PER_SECOND = 25
const SETTLE_MS = 6000
const SECONDS = 20

interface Size {
  viewers: number
  leastFps: number
  mostLostPercent: number
  mostCores: number
  /** Undefined without a limit. */
  firstPictureMs?: number
}

const SIZES: Size[] = [
  { viewers: 300, leastFps: 19.5, mostLostPercent: 0, mostCores: 1 },
  { viewers: 1000, leastFps: 19.5, mostLostPercent: 0.1, mostCores: 2, firstPictureMs: 1000 },
]

/** Nothing stands in the way of many people behind one address. */
const ENV = { PARLEY_CONNECTIONS_PER_ADDRESS: '0', PARLEY_CONNECTIONS_PER_TOKEN: '0' }

async function fill(stage: Stage, room: string): Promise<Crowd> {
  const film = await filmFor(stage, { height: 360, fps: 20 })
  const crowd = new Crowd(stage.server)
  const member = { as: 'member', camera: film } as const
  const speaker = { ...member, sound: 'tone' } as const
  const listener = { ...member, sound: 'silence' } as const
  await enter(stage, crowd, { room, people: SPEAKERS, entrant: speaker })
  await enter(stage, crowd, { room, people: MEMBERS - SPEAKERS, entrant: listener })
  return crowd
}

/** Lets the audience enter at a steady rate, whether or not those before have been let in. @returns how many were */
async function admit(
  { rest }: Stage,
  room: string,
  crowds: readonly Crowd[],
  viewers: number,
): Promise<number> {
  const token = await rest.createRoomToken({ room_name: room, join_as: 'audience' })
  let admitted = 0
  const joins: Promise<void>[] = []
  const refusals = new Map<string, number>()
  for (let viewer = 0; viewer < viewers; viewer++) {
    const join = crowds[viewer % crowds.length]!.join(token, { as: 'viewer' })
    joins.push(
      join.then(
        () => {
          admitted++
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
  return admitted
}

async function measure(stage: Stage, size: Size): Promise<void> {
  const { viewers, leastFps, mostLostPercent, mostCores, firstPictureMs } = size
  const members = await fill(stage, 'large')
  const crowds = Array.from(
    { length: Math.ceil(viewers / VIEWERS_PER_PROCESS) },
    () => new Crowd(stage.server),
  )
  try {
    const admitted = await admit(stage, 'large', crowds, viewers)
    await delay(SETTLE_MS)
    const [seen, seenByMembers] = await Promise.all([
      watch(stage, crowds, SECONDS),
      watch(stage, [members], SECONDS),
    ])
    const waits = (await Promise.all(crowds.map((crowd) => crowd.seen())))
      .flat()
      .map(({ firstPictureMs: waited }) => waited ?? Number.POSITIVE_INFINITY)
    const lostPercent = (100 * seen.lost) / (seen.packets + seen.lost)
    console.log(
      `${admitted} of ${viewers} viewers: ${Math.round(seen.packets / seen.seconds)} packets a second; the members saw ${slowest(seenByMembers.picturesPerSecond).toFixed(1)} pictures a second or more; the audience itself used ${seen.crowdCores.toFixed(2)} cores, the members ${seenByMembers.crowdCores.toFixed(2)}`,
    )
    const who = `${MEMBERS} members and ${viewers} viewers`
    const fps = quantile(seen.picturesPerSecond, 0.05)
    report({ what: `let in, ${who}`, value: admitted, limit: viewers, direction: 'at least' })
    report({
      what: `pictures a second seen by 95 %, ${who}`,
      value: fps,
      limit: leastFps,
      direction: 'at least',
    })
    report({
      what: `packets lost, ${who}`,
      value: lostPercent,
      unit: '%',
      limit: mostLostPercent,
      direction: 'at most',
    })
    report({
      what: `CPU, ${who}`,
      value: seen.cores,
      unit: 'cores',
      limit: mostCores,
      direction: 'at most',
    })
    report({
      what: `CPU, ${who}`,
      value: (seen.cores * seen.seconds * 1e6) / seen.packets,
      unit: 'us a packet seen',
    })
    const wait = { what: `join to the first picture, 95 %, ${who}`, value: quantile(waits, 0.95), unit: 'ms' }
    report(firstPictureMs ? { ...wait, limit: firstPictureMs, direction: 'at most' } : wait)
  } finally {
    for (const crowd of [members, ...crowds]) crowd.close()
  }
}

for (const size of SIZES) await onAServer(`audience-${size.viewers}`, ENV, (stage) => measure(stage, size))
