/**
 * What three nodes on this machine do beside one server: joins a second, events a second to clients, and what a server costs while nothing
 * happens. Both have PostgreSQL and one media worker for each server. Clients connect to the nodes in turn, so two of three are passed on to
 * the owner of their room; they have no media. All of it shares this machine, clients included, so more nodes cannot be faster here: the
 * ratio says what going over other nodes costs. What a join and an event cost the servers is told besides.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { enter, type Person } from '../../acceptance/cluster/clients.ts'
import { ThreeNodes } from '../../acceptance/cluster/three-nodes.ts'
import { Rest } from '../../acceptance/testing/rest.ts'
import { ServerProcess } from '../../acceptance/testing/server-process.ts'
import { temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { cpuSecondsOf } from '../cpu-time.ts'
import { report } from '../report.ts'
import { residentMiB } from '../resident.ts'

const ROOMS = 16
const PEOPLE = 4
const JOINS_AT_ONCE = 8
const SETTLE_MS = 5000
const IDLE_SECONDS = 10
const EVENT_SECONDS = 8
/** A client that asks too often is refused for a moment. */
const PAUSE_MS = 100
const ENV = { PARLEY_MEDIA_WORKERS: '1', PARLEY_SESSION_GRACE_SECONDS: '0', PARLEY_REQUESTS_PER_MINUTE: '0' }

/** What is measured: the servers, and where clients reach them in turn. */
interface Subject {
  servers: readonly ServerProcess[]
  urls: readonly string[]
  rest: Rest
}

interface Figures {
  idleMiB: number
  idleCores: number
  joinsPerSecond: number
  cpuMsOfJoin: number
  eventsPerSecond: number
  cpuUsOfEvent: number
}

async function cpuOf({ servers }: Subject): Promise<number> {
  return cpuSecondsOf((await Promise.all(servers.map((server) => server.allPids()))).flat())
}

/** @returns seconds that passed, and seconds of CPU that the servers used meanwhile */
async function timed(
  subject: Subject,
  work: () => Promise<unknown>,
): Promise<{ seconds: number; cpu: number }> {
  const [startedAtMs, before] = [performance.now(), await cpuOf(subject)]
  await work()
  return { seconds: (performance.now() - startedAtMs) / 1000, cpu: (await cpuOf(subject)) - before }
}

async function joinAll({ rest, urls }: Subject, prefix: string): Promise<Person[]> {
  const wanted: { url: string; token: string }[] = []
  for (let room = 0; room < ROOMS; room++) {
    for (let person = 0; person < PEOPLE; person++) {
      const claims = { room_name: `${prefix}-${room}`, user_name: `person ${person}` }
      wanted.push({ url: urls[wanted.length % urls.length]!, token: await rest.createRoomToken(claims) })
    }
  }
  const people: Person[] = []
  const enterNext = async () => {
    for (let next = wanted.shift(); next; next = wanted.shift())
      people.push(await enter(next.url, next.token))
  }
  await Promise.all(Array.from({ length: JOINS_AT_ONCE }, enterNext))
  return people
}

/** Everybody mutes and unmutes, as fast as that is answered and permitted. @returns events that arrived at clients */
async function makeEvents(people: readonly Person[]): Promise<number> {
  const endsAtMs = performance.now() + EVENT_SECONDS * 1000
  for (const { client } of people) client.events.length = client.frames.length = 0
  const toggle = async ({ client, sessionId, memberId }: Person) => {
    const target = { room_session_id: sessionId, member_id: memberId }
    for (let round = 0; performance.now() < endsAtMs; round++) {
      const method = `video.member.audio_${round % 2 === 0 ? 'mute' : 'unmute'}`
      const { result } = await client.request(method, target)
      if (result?.code === '429') await delay(PAUSE_MS)
      else if (result?.code !== '200') throw new Error(`${method}: ${JSON.stringify(result)}`)
      // Its list of frames is for tests. It would be searched from the start at each request.
      client.frames.length = 0
    }
  }
  await Promise.all(people.map(toggle))
  return people.reduce((sum, { client }) => sum + client.events.length, 0)
}

async function leaveAll(people: readonly Person[]): Promise<void> {
  for (const { client } of people) client.leavePage()
  await delay(SETTLE_MS)
}

async function measure(subject: Subject): Promise<Figures> {
  const { servers } = subject
  // Once before, so that codecs are loaded and the code is compiled.
  await leaveAll(await joinAll(subject, 'before'))
  const resident = await Promise.all(servers.map(residentMiB))
  const idle = await timed(subject, () => delay(IDLE_SECONDS * 1000))
  let people: Person[] = []
  const joins = await timed(subject, async () => {
    people = await joinAll(subject, 'measured')
  })
  let count = 0
  const events = await timed(subject, async () => {
    count = await makeEvents(people)
  })
  await leaveAll(people)
  return {
    idleMiB: resident.reduce((sum, one) => sum + one, 0) / servers.length,
    idleCores: idle.cpu / idle.seconds / servers.length,
    joinsPerSecond: people.length / joins.seconds,
    cpuMsOfJoin: (1000 * joins.cpu) / people.length,
    eventsPerSecond: count / events.seconds,
    cpuUsOfEvent: (1e6 * events.cpu) / count,
  }
}

async function measureOne(): Promise<Figures> {
  const postgres = await temporaryCluster()
  const env = { ...ENV, PARLEY_DATABASE_URL: await postgres.createDatabase() }
  const server = await ServerProcess.start('bench-cluster-one', env)
  const rest = new Rest(server.access)
  try {
    return await measure({ servers: [server], urls: [server.access.baseUrl.replace('https:', 'wss:')], rest })
  } finally {
    await rest.close()
    await server.stop()
    await server.remove()
    await postgres.remove()
  }
}

async function measureThree(): Promise<Figures> {
  const nodes = await ThreeNodes.start('bench-cluster', ENV)
  try {
    const urls = nodes.names.map((name) => nodes.urlOf(name))
    return await measure({ servers: [...nodes.nodes.values()], urls, rest: nodes.rest })
  } finally {
    await nodes.stop()
  }
}

const one = await measureOne()
const three = await measureThree()
console.log('one server', one)
console.log('each of three nodes, or all three', three)
const ratio = (key: keyof Figures) => three[key] / one[key]
report({ what: 'joins a second, three nodes / one server, same machine', value: ratio('joinsPerSecond') })
report({ what: 'CPU of a join, three nodes / one server', value: ratio('cpuMsOfJoin') })
report({
  what: 'events a second to clients, three nodes / one server, same machine',
  value: ratio('eventsPerSecond'),
})
report({ what: 'CPU of an event, three nodes / one server', value: ratio('cpuUsOfEvent') })
report({ what: 'resident, a node without rooms / one server', value: ratio('idleMiB') })
report({ what: 'CPU, a node without rooms', value: three.idleCores, unit: 'cores' })
report({ what: 'CPU, one server without rooms', value: one.idleCores, unit: 'cores' })
