/**
 * One room of a cluster with four members and an audience, all on this machine: what the owner's node uses while it serves the audience
 * alone, and while the other nodes do. Each node has one media worker. The audience is simulated in a process of its own, which shares the machine.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { ThreeNodes } from '../../acceptance/cluster/three-nodes.ts'
import type { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { cpuSecondsOf } from '../cpu-time.ts'
import { filmFor } from '../live-room.ts'
import { Crowd } from '../load/crowd-process.ts'
import { quantile } from '../quantile.ts'
import { report } from '../report.ts'

const ROOM = 'hall'
const MEMBERS = 4
const VIEWERS = 100
/** The other nodes load what rooms need as soon as somebody could go there. */
const PREPARE_MS = 6000
const SETTLE_MS = 5000
const SECONDS = 15
const ENV = {
  PARLEY_CONNECTIONS_PER_ADDRESS: '0',
  PARLEY_CONNECTIONS_PER_TOKEN: '0',
  PARLEY_OVERLOAD_STEP: 'none',
}

/** CPU cores that each node uses, its main process apart. */
interface Used {
  owner: number
  ownerMain: number
  others: number
}

interface Seen extends Used {
  picturesPerSecond: number
  lostPercent: number
}

async function cpuOf(all: ThreeNodes, owner: string): Promise<Used> {
  const used = { owner: 0, ownerMain: 0, others: 0 }
  for (const [name, node] of all.nodes) {
    const cpu = cpuSecondsOf(await node.allPids())
    if (name !== owner) used.others += cpu
    else Object.assign(used, { owner: cpu, ownerMain: cpuSecondsOf([node.pid]) })
  }
  return used
}

/** @param crowd null while there is no audience */
async function watch(all: ThreeNodes, owner: string, crowd: Crowd | null): Promise<Seen> {
  const look = async () => ({
    used: await cpuOf(all, owner),
    seen: (await crowd?.seen()) ?? [],
    at: Date.now(),
  })
  const before = await look()
  await delay(SECONDS * 1000)
  const after = await look()
  const seconds = (after.at - before.at) / 1000
  const rate = (key: keyof Used) => (after.used[key] - before.used[key]) / seconds
  const increase = (key: 'picturePackets' | 'lost') =>
    after.seen.reduce((sum, each, index) => sum + each[key] - (before.seen[index]?.[key] ?? 0), 0)
  const pictures = after.seen.map(
    ({ pictures }, index) => (pictures - (before.seen[index]?.pictures ?? 0)) / seconds,
  )
  return {
    owner: rate('owner'),
    ownerMain: rate('ownerMain'),
    others: rate('others'),
    picturesPerSecond: pictures.length === 0 ? 0 : quantile(pictures, 0.05),
    lostPercent: (100 * increase('lost')) / Math.max(1, increase('picturePackets') + increase('lost')),
  }
}

async function measure(name: string, percent: string): Promise<{ alone: Seen; full: Seen }> {
  const all = await ThreeNodes.start(`bench-spread-${name}`, { ...ENV, PARLEY_SPREAD_AUDIENCE_AT: percent })
  const door: ServerProcess = all.node('a')
  const [members, viewers] = [new Crowd(door), new Crowd(door)]
  try {
    const film = await filmFor({ server: door }, { height: 360, fps: 20 })
    const memberToken = await all.rest.createRoomToken({ room_name: ROOM })
    for (let person = 0; person < MEMBERS; person++)
      await members.join(memberToken, { as: 'member', camera: film, sound: person < 2 ? 'tone' : 'silence' })
    const owner = await all.ownerOf(ROOM)
    const token = await all.rest.createRoomToken({ room_name: ROOM, join_as: 'audience' })
    await members.join(token, { as: 'viewer' })
    await delay(PREPARE_MS)
    const alone = await watch(all, owner, null)
    for (let viewer = 0; viewer < VIEWERS; viewer++) await viewers.join(token, { as: 'viewer' })
    await delay(SETTLE_MS)
    const full = await watch(all, owner, viewers)
    console.log(name, 'without audience', alone, 'with audience', full)
    return { alone, full }
  } finally {
    members.close()
    viewers.close()
    await all.stop()
  }
}

const here = await measure('at the owner', '100')
const spread = await measure('at the others', '0')
for (const [where, { alone, full }] of Object.entries({ 'at the owner': here, 'at other nodes': spread })) {
  report({ what: `CPU of the owner, without viewers, later ${where}`, value: alone.owner, unit: 'cores' })
  report({ what: `CPU of the owner, ${VIEWERS} viewers ${where}`, value: full.owner, unit: 'cores' })
  report({
    what: `of that, its main process, ${VIEWERS} viewers ${where}`,
    value: full.ownerMain,
    unit: 'cores',
  })
  report({ what: `CPU of the other two, ${VIEWERS} viewers ${where}`, value: full.others, unit: 'cores' })
  report({ what: `pictures a second seen by 95 %, viewers ${where}`, value: full.picturesPerSecond })
  report({ what: `packets lost, viewers ${where}`, value: full.lostPercent, unit: '%' })
}
