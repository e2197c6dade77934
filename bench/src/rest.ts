/**
 * What the REST interface costs: beside a bare Fastify route that answers the same over the same HTTPS, and in a project
 * of a million rooms beside one of a thousand.
 */
import { Agent, request } from 'undici'
import { administer } from '../../acceptance/harness/administration.ts'
import { Rest } from '../../acceptance/harness/rest.ts'
import { median } from '../median.ts'
import { onAServer, type Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { startBareServer } from '../rest/bare-server.ts'
import { load } from '../rest/load.ts'
import { multiplyRooms } from '../rest/many-rooms.ts'

const CONNECTIONS = 64
const ROUND_SECONDS = 3
const ROUNDS = 5
const FEW_ROOMS = 1000
const MANY_ROOMS = 1_000_000
const FAR_PAGE = 10_000
const LISTS_PER_ROUND = 40

const basic = (projectId: string, apiToken: string) =>
  `Basic ${Buffer.from(`${projectId}:${apiToken}`).toString('base64')}`

/** In rounds of all three, so that a slow moment of the machine hits all of them. */
async function throughput({ server, rest }: Stage): Promise<void> {
  const { baseUrl, projectId, apiToken } = server.access
  const authorization = basic(projectId, apiToken)
  const room = await rest.createRoom({ name: 'measured', description: 'x'.repeat(100), meta: { a: 1 } })
  const { body: answer } = await rest.send<object>('GET', `/rooms/${room.id}`)
  const bare = await startBareServer(answer, server)
  let count = 0
  const shared = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
  const gets: number[] = []
  const creates: number[] = []
  try {
    const get = { ...shared, url: `${baseUrl}/api/video/rooms/${room.id}`, authorization }
    const create = {
      ...shared,
      url: `${baseUrl}/api/video/rooms`,
      authorization,
      body: () => ({ name: `r-${++count}` }),
    }
    await load({ ...shared, url: bare.url })
    await load(get)
    for (let round = 0; round < ROUNDS; round++) {
      const limit = await load({ ...shared, url: bare.url })
      const got = await load(get)
      const created = await load(create)
      console.log(
        `bare ${limit.requestsPerSecond.toFixed(0)}, GET ${got.requestsPerSecond.toFixed(0)}, create ${created.requestsPerSecond.toFixed(0)} requests/s`,
      )
      gets.push(got.requestsPerSecond / limit.requestsPerSecond)
      creates.push(created.requestsPerSecond / limit.requestsPerSecond)
    }
  } finally {
    await bare.stop()
  }
  report({
    what: 'GET room / bare route, requests per second',
    value: median(gets),
    limit: 0.55,
    direction: 'at least',
  })
  report({
    what: `create room, durable, ${CONNECTIONS} connections / bare route`,
    value: median(creates),
    limit: 0.25,
    direction: 'at least',
  })
}

/** A project with so many rooms. @returns its credentials */
async function projectOf({ server }: Stage, rooms: number): Promise<string> {
  const projectId = await administer(server, 'projects', 'create', '--name', `of ${rooms}`)
  const apiToken = await administer(server, 'tokens', 'create', '--project', projectId, '--scopes', 'all')
  const rest = new Rest({ ...server.access, projectId, apiToken })
  await rest.createRoom({ name: 'first' })
  await rest.close()
  multiplyRooms(server, projectId, rooms)
  return basic(projectId, apiToken)
}

async function lists(stage: Stage): Promise<void> {
  const { baseUrl, ca } = stage.server.access
  const agent = new Agent({ connect: ca === undefined ? {} : { ca }, connections: 1 })
  const get = async (path: string, authorization: string) => {
    const startMs = performance.now()
    const { statusCode, body } = await request(`${baseUrl}${path}`, {
      dispatcher: agent,
      headers: { authorization },
    })
    const page = (await body.json()) as { links: { next: string | null } }
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${JSON.stringify(page)}`)
    return { ms: performance.now() - startMs, next: page.links.next }
  }
  const [few, many] = [await projectOf(stage, FEW_ROOMS), await projectOf(stage, MANY_ROOMS)]
  const first = '/api/video/rooms?page_size=50'
  let far = first
  for (let page = 1; page < FAR_PAGE; page++) {
    const { next } = await get(far, many)
    if (next === null) throw new Error(`the list ends on page ${page}`)
    far = next
  }
  const times = { few: [] as number[], first: [] as number[], far: [] as number[] }
  for (let i = 0; i < LISTS_PER_ROUND * ROUNDS; i++) {
    times.few.push((await get(first, few)).ms)
    times.first.push((await get(first, many)).ms)
    times.far.push((await get(far, many)).ms)
  }
  await agent.destroy()
  const [fewMs, firstMs, farMs] = [median(times.few), median(times.first), median(times.far)]
  console.log(
    `page 1 of 1,000: ${fewMs.toFixed(2)} ms; of 1,000,000: ${firstMs.toFixed(2)} ms; page 10,000: ${farMs.toFixed(2)} ms`,
  )
  report({
    what: 'list of 1,000,000 rooms, page 10,000 / page 1',
    value: farMs / firstMs,
    limit: 1.2,
    direction: 'at most',
  })
  report({
    what: 'list, page 1 of 1,000,000 rooms / of 1,000',
    value: firstMs / fewMs,
    limit: 1.2,
    direction: 'at most',
  })
}

await onAServer('rest', { PARLEY_REQUESTS_PER_MINUTE: '0', PARLEY_MEDIA_WORKERS: '1' }, async (stage) => {
  await throughput(stage)
  await lists(stage)
})
