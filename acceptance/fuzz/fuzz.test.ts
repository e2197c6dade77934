import { randomInt } from 'node:crypto'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Participant } from '../testing/participant.ts'
import { RED, useDeployment } from '../testing/use-deployment.ts'
import { fuzzDatagrams } from './datagrams.ts'
import { type FuzzPlan, Tally } from './fuzzing.ts'
import { fuzzHttp } from './http.ts'
import { fuzzIceDatagrams } from './ice-datagrams.ts'
import { fuzzIceNetworks } from './ice-networks.ts'
import { fuzzJsonRpc } from './json-rpc.ts'
import { fuzzPackets } from './packets.ts'
import { fuzzRtmp } from './rtmp.ts'
import { fuzzSdp } from './sdp.ts'
import { fuzzStun } from './stun.ts'
import { WatchedServer } from './watched-server.ts'

/** `npm test` uses a few inputs of each kind. `npm run fuzz` sets both variables. */
const { PARLEY_FUZZ_INPUTS, PARLEY_FUZZ_SEED } = process.env
const seed = PARLEY_FUZZ_SEED === undefined ? randomInt(2 ** 31) : Number(PARLEY_FUZZ_SEED)
const total = PARLEY_FUZZ_INPUTS === undefined ? null : Number(PARLEY_FUZZ_INPUTS)
/** A long run gets a long limit. */
const TIMEOUT_MS = total === null ? 120_000 : 4 * 3_600_000

interface Kind {
  name: string
  /** Number of inputs in `npm test`. */
  usual: number
  /** Share of the inputs of a long run. Kinds with cheap inputs get more. */
  share: number
  run: (plan: FuzzPlan) => Promise<void>
}

/** These run inside the test's own process. */
const READERS: readonly Kind[] = [
  { name: 'SDP offers', usual: 1500, share: 0.06, run: fuzzSdp },
  { name: 'STUN datagrams', usual: 20_000, share: 0.17, run: fuzzStun },
  { name: 'datagrams to an ICE agent', usual: 5000, share: 0.06, run: fuzzIceDatagrams },
  { name: 'ICE agents in bad networks', usual: 1500, share: 0.04, run: fuzzIceNetworks },
  { name: 'RTP and RTCP packets', usual: 30_000, share: 0.56, run: fuzzPackets },
]

const deployment = useDeployment({
  name: 'fuzz-wire',
  participantsLive: 'for all tests',
  env: {
    PARLEY_REQUESTS_PER_MINUTE: '0',
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '0',
    // All inputs come from this machine, over hundreds of connections.
    PARLEY_CONNECTIONS_PER_ADDRESS: '0',
    PARLEY_CONNECTIONS_PER_TOKEN: '0',
    PARLEY_ALLOW_PRIVATE_TARGETS: '1',
  },
})

/** These go to a server, over its ports. */
const ON_THE_WIRE: readonly Kind[] = [
  { name: 'HTTP and upgrades', usual: 1500, share: 0.02, run: (plan) => fuzzHttp(plan, deployment.access) },
  {
    name: 'datagrams to a media worker',
    usual: 4000,
    share: 0.05,
    run: (plan) => fuzzDatagrams(plan, deployment),
  },
  { name: 'JSON-RPC frames', usual: 20_000, share: 0.0395, run: (plan) => fuzzJsonRpc(plan, deployment) },
  { name: 'answers of RTMP servers', usual: 15, share: 0.0005, run: (plan) => fuzzRtmp(plan, deployment) },
]

const rows: string[][] = []

function planOf({ usual, share }: Kind): FuzzPlan {
  return { inputs: total === null ? usual : Math.ceil(total * share), seed, tally: new Tally() }
}

function report({ name }: Kind, { tally }: FuzzPlan, startedAt: number, grownMib?: number): void {
  const seconds = (performance.now() - startedAt) / 1000
  const memory = grownMib === undefined ? '-' : `${grownMib.toFixed(0)} MiB`
  rows.push([
    name,
    String(tally.inputs),
    `${seconds.toFixed(0)} s`,
    `${tally.slowestMs.toFixed(1)} ms`,
    memory,
    tally.text,
  ])
}

console.log(`fuzz: seed ${seed}. The same again: PARLEY_FUZZ_SEED=${seed}, or npm run fuzz -- --seed ${seed}`)

let bystander: Participant
beforeAll(async () => {
  bystander = await deployment.enter(RED, { room_name: deployment.roomName() })
  await bystander.moreFrames(5)
})

describe('inputs that no client sends bring nothing out of order', () => {
  for (const kind of READERS) {
    test(
      kind.name,
      async () => {
        const plan = planOf(kind)
        const startedAt = performance.now()
        await kind.run(plan)
        report(kind, plan, startedAt)
      },
      TIMEOUT_MS,
    )
  }

  for (const kind of ON_THE_WIRE) {
    test(
      kind.name,
      async () => {
        const plan = planOf(kind)
        const startedAt = performance.now()
        const watched = await WatchedServer.begin(deployment, bystander)
        await kind.run(plan).catch(async (error: unknown) => {
          await watched.end()
          throw error
        })
        report(kind, plan, startedAt, await watched.end())
      },
      TIMEOUT_MS,
    )
  }
})

afterAll(() => {
  const head = ['kind', 'inputs', 'time', 'slowest', 'memory', 'outcomes']
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const lines = [head, ...rows].map((row) =>
    row.map((cell, column) => cell.padEnd(column < 5 ? (widths[column] ?? 0) : 0)).join('  '),
  )
  console.log(`\n${lines.join('\n')}\nseed ${seed}`)
})
