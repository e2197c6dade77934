/**
 * What a back end that watches a thousand sessions costs the main process: processor time with it, less the time of the
 * same sessions without it. Each session has one event a second. Rooms have no media here, for they cost the main
 * process nothing.
 */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Chat } from '../../server/src/chat/chat.ts'
import { systemClock } from '../../server/src/clock.ts'
import { readConfig } from '../../server/src/config.ts'
import { ConnectionPool } from '../../server/src/limits/connection-pool.ts'
import { CountExchange } from '../../server/src/limits/count-exchange.ts'
import { FailedSignIns } from '../../server/src/limits/failed-sign-ins.ts'
import { LimitLog } from '../../server/src/limits/limit-log.ts'
import { createTrustedProxies } from '../../server/src/limits/trusted-proxies.ts'
import { Tallies } from '../../server/src/metrics/tallies.ts'
import { createApiTokens } from '../../server/src/projects/api-tokens.ts'
import { createCredentials } from '../../server/src/projects/credentials.ts'
import { createKeptSubscriptions } from '../../server/src/projects/kept-subscriptions.ts'
import { createSpaces } from '../../server/src/projects/spaces.ts'
import { createSignalingServer } from '../../server/src/signaling/signaling-server.ts'
import { SessionWorld, Witness } from '../../server/src/testing/simulation/session-world.ts'
import { testCluster } from '../../server/src/testing/test-cluster.ts'
import { report } from '../report.ts'

const SESSIONS = 1000
const SECONDS = 8
/** Portions of the sessions in which events happen, spread over a second. */
const PORTIONS = 20
/** Rooms that are filled at once. */
const AT_ONCE = 100

const world = await SessionWorld.open()
const enter = async (index: number) => {
  const name = `room ${index}`
  await world.addRoom({ name })
  return world.join(new Witness('ada'), { room_name: name })
}
const joined: Awaited<ReturnType<typeof enter>>[] = []
while (joined.length < SESSIONS) {
  const portion = Array.from({ length: AT_ONCE }, (_, index) => enter(joined.length + index))
  joined.push(...(await Promise.all(portion)))
}

/** Processor time of this process for `SECONDS` seconds of events, as a share of one core. */
async function shareOfACore(): Promise<number> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  for (let portion = 0; portion < SECONDS * PORTIONS; portion++) {
    for (let index = portion % PORTIONS; index < SESSIONS; index += PORTIONS) {
      const { session, member } = joined[index]!
      void session.changes.change(member, { audio_muted: !member.audioMuted })
    }
    await delay(Math.max(0, startedAt + ((portion + 1) * 1000) / PORTIONS - performance.now()))
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / (performance.now() - startedAt)
}

const { storage, registry, projectId, log } = world
const cluster = testCluster()
const [clock, limitLog, limits, proxies] = [
  systemClock,
  new LimitLog(log),
  readConfig({}),
  createTrustedProxies([]),
]
const connections = new ConnectionPool(limits, proxies, limitLog)
const signaling = createSignalingServer({
  registry,
  cluster,
  tokenKey: randomBytes(64),
  chatTokenKey: randomBytes(64),
  conferenceTokens: { redeem: async () => undefined },
  spaces: createSpaces(storage, null),
  chat: new Chat({ storage, sessions: registry, clock, cluster }),
  credentials: createCredentials({ storage, clock }),
  keptSubscriptions: createKeptSubscriptions({ storage, clock, log }),
  proxies,
  connections,
  failedSignIns: new FailedSignIns(
    limits.failedSignInsPerMinute,
    limitLog,
    new CountExchange(cluster, clock),
  ),
  tallies: new Tallies(),
  refusedSignIns: { note: () => {} },
  iceServers: () => [],
  clock,
  log,
})
const server = createServer()
server.on('connection', (socket) => connections.accept(socket) || socket.destroy())
server.on('upgrade', (request, socket, head) => signaling.handleUpgrade(request, socket, head))
server.listen(0, '127.0.0.1')
await once(server, 'listening')

// Once before, so that the code is compiled.
await shareOfACore()
const alone = await shareOfACore()
const { secret } = await createApiTokens({
  storage,
  clock,
  actor: { kind: 'os-user', name: 'bench' },
}).create(projectId, 'bench', ['video'])
const { port } = server.address() as AddressInfo
const program = path.join(import.meta.dirname, '../watching/back-end-process.ts')
const backEnd = fork(program, [`ws://127.0.0.1:${port}/`, projectId, secret])
let [watched, events] = [0, 0]
backEnd.on('message', (told: { watched?: number; events?: number }) => {
  watched = told.watched ?? watched
  events = told.events ?? events
})
while (watched < SESSIONS) await delay(100)
await shareOfACore()
const withBackEnd = await shareOfACore()
backEnd.send('count')
await once(backEnd, 'message')
if (events < SESSIONS * SECONDS) throw new Error(`the back end got ${events} events only`)
const share = { unit: '% of a core' }
report({ what: '1,000 sessions, an event a second each', value: 100 * alone, ...share })
report({
  what: 'a back end that watches them adds',
  value: 100 * (withBackEnd - alone),
  ...share,
  limit: 5,
  direction: 'at most',
})
backEnd.kill()
await signaling.stop()
server.closeAllConnections()
server.close()
await world.close()
