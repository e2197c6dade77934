/** Requests per second, compared with a bare Fastify route that gives the same answer over the same HTTPS. */
import { median } from '../median.ts'
import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { startBareServer } from './bare-server.ts'
import { basic } from './credentials.ts'
import { load } from './load.ts'

const CONNECTIONS = 64
const ROUND_SECONDS = 3
const ROUNDS = 5

/** Measures all three in each round, so that a slow moment of the machine affects all of them. */
export async function measureThroughput({ server, rest }: Stage): Promise<void> {
  const { baseUrl, projectId, apiToken } = server.access
  const authorization = basic(projectId, apiToken)
  const room = await rest.createRoom({ name: 'measured', description: 'x'.repeat(100), meta: { a: 1 } })
  const { body: answer } = await rest.send<object>('GET', `/rooms/${room.id}`)
  const bare = await startBareServer(answer, server)
  let count = 0
  const shared = { connections: CONNECTIONS, seconds: ROUND_SECONDS }
  const get = { ...shared, url: `${baseUrl}/api/video/rooms/${room.id}`, authorization }
  const create = {
    ...shared,
    url: `${baseUrl}/api/video/rooms`,
    authorization,
    body: () => ({ name: `r-${++count}` }),
  }
  const gets: number[] = []
  const creates: number[] = []
  try {
    // A warm-up, so that the code of all three is compiled before the measurement.
    for (const warmUp of [{ ...shared, url: bare.url }, get, create]) await load(warmUp)
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
    limit: 0.7,
    direction: 'at least',
  })
  report({
    what: `create room, durable, ${CONNECTIONS} connections / bare route`,
    value: median(creates),
    limit: 0.35,
    direction: 'at least',
  })
}
