/**
 * One room of two members and 300 viewers whom two workers serve. The one that does not mix the room is killed, and all whom
 * it served come again at the same moment, without the spread of the pages (a second for each 33 people): how long until they see
 * pictures again, and what the others notice. There is no peer.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { killProcesses } from '../../acceptance/testing/processes.ts'
import { enter, filmFor, slowest, watch } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import type { Seen } from '../load/downlink.ts'
import { onAServer, type Stage } from '../on-a-server.ts'
import { quantile } from '../quantile.ts'
import { report } from '../report.ts'

const VIEWERS = 300
const JOINS_PER_SECOND = 25
const SETTLE_MS = 6000
const SECONDS = 10
const ROOM = 'returning'
const ENV = {
  PARLEY_MEDIA_WORKERS: '2',
  PARLEY_CONNECTIONS_PER_ADDRESS: '0',
  PARLEY_CONNECTIONS_PER_TOKEN: '0',
}

/** The worker that serves viewers of the room and does not mix it, as the log names it. */
function servingPid({ server }: Stage): number {
  const line = server.logLines().find((each) => each.includes('worker serves viewers of a room'))
  const pid = Number(/"pid":(\d+),"msg"/.exec(line ?? '')?.[1])
  if (!pid) throw new Error('one worker serves all')
  return pid
}

async function fill(stage: Stage, members: Crowd, viewers: Crowd): Promise<void> {
  const camera = await filmFor(stage, { height: 360, fps: 20 })
  const entrant = { as: 'member', camera, sound: 'tone' } as const
  await enter(stage, members, { room: ROOM, people: 2, entrant })
  const token = await stage.rest.createRoomToken({ room_name: ROOM, join_as: 'audience' })
  const joins: Promise<void>[] = []
  for (let viewer = 0; viewer < VIEWERS; viewer++) {
    joins.push(viewers.join(token, { as: 'viewer', returns: true }))
    await delay(1000 / JOINS_PER_SECOND)
  }
  await Promise.all(joins)
  await delay(SETTLE_MS)
}

/** @returns milliseconds from the kill to the first picture of everybody who came again */
function returns(seen: readonly Seen[], killedAtUnixMs: number): number[] {
  return seen
    .filter(({ startedAtUnixMs }) => startedAtUnixMs > killedAtUnixMs)
    .map(({ startedAtUnixMs, firstPictureMs }) =>
      firstPictureMs === null ? Number.POSITIVE_INFINITY : startedAtUnixMs - killedAtUnixMs + firstPictureMs,
    )
}

await onAServer('return', ENV, async (stage) => {
  const [members, viewers] = [new Crowd(stage.server), new Crowd(stage.server)]
  try {
    await fill(stage, members, viewers)
    const before = await viewers.seen()
    const killedAtUnixMs = Date.now()
    killProcesses([servingPid(stage)])
    const window = await watch(stage, [members], SECONDS)
    const after = await viewers.seen()
    const times = returns(after, killedAtUnixMs)
    const stayed = after.flatMap(({ startedAtUnixMs, pictures }, index) =>
      startedAtUnixMs < killedAtUnixMs ? [(pictures - before[index]!.pictures) / window.seconds] : [],
    )
    console.log(`${times.length} of ${VIEWERS} came again`)
    const lostHere = after.reduce(
      (sum, { startedAtUnixMs, lost }, index) =>
        startedAtUnixMs < killedAtUnixMs ? sum + lost - before[index]!.lost : sum,
      0,
    )
    report({
      what: 'death of a worker to the next picture of its viewers, 95 %',
      value: quantile(times, 0.95),
      unit: 'ms',
      limit: 3000,
      direction: 'at most',
    })
    report({ what: 'the same, the last of them', value: Math.max(...times), unit: 'ms' })
    report({
      what: 'pictures a second of the members meanwhile',
      value: slowest(window.picturesPerSecond),
      limit: 19,
      direction: 'at least',
    })
    report({
      what: 'pictures a second of the other viewers meanwhile, the slowest',
      value: slowest(stayed),
      limit: 19,
      direction: 'at least',
    })
    report({ what: 'packets that the other viewers lost', value: lostHere, limit: 0, direction: 'at most' })
  } finally {
    for (const crowd of [members, viewers]) crowd.close()
  }
})
