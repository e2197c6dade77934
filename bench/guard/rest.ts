import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { startBareServer } from '../rest/bare-server.ts'
import { basic } from '../rest/credentials.ts'
import { load } from '../rest/load.ts'
import { BOUNDS } from './bounds.ts'

const LOAD = { connections: 64, seconds: 1 }
/** The best round counts. */
const ROUNDS = 5

/** Guards how fast the API answers. */
export async function guardRest({ server, rest }: Stage): Promise<void> {
  const { baseUrl, projectId, apiToken } = server.access
  const room = await rest.createRoom({ name: 'read' })
  const { body: answer } = await rest.send<object>('GET', `/rooms/${room.id}`)
  const bare = await startBareServer(answer, server)
  const get = {
    ...LOAD,
    url: `${baseUrl}/api/video/rooms/${room.id}`,
    authorization: basic(projectId, apiToken),
  }
  try {
    // A warm-up, so that the code of both is compiled.
    for (const warmUp of [{ ...LOAD, url: bare.url }, get]) await load(warmUp)
    let ratio = 0
    for (let round = 0; round < ROUNDS; round++) {
      const limit = await load({ ...LOAD, url: bare.url })
      const got = await load(get)
      ratio = Math.max(ratio, got.requestsPerSecond / limit.requestsPerSecond)
    }
    const what = 'GET room / bare route, requests per second'
    report({ what, value: ratio, limit: BOUNDS.getToBareRoute, direction: 'at least' })
  } finally {
    await bare.stop()
  }
}
