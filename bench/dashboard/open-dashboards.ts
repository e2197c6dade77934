import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { cpuSeconds } from '../cpu-time.ts'
import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { basic } from '../rest/credentials.ts'

const MANY = 50
/** Changes of rooms in a second, each of which every dashboard is told. */
const CHANGES_PER_SECOND = 10
const MEASURED_MS = 10_000

/** Measures the CPU time of the server while rooms change, with one open dashboard and with many. */
export async function measureDashboards({ server, rest }: Stage): Promise<void> {
  const { baseUrl, ca, projectId, apiToken } = server.access
  const agent = new Agent({ connect: ca === undefined ? {} : { ca }, bodyTimeout: 0 })
  const headers = { authorization: basic(projectId, apiToken) }
  const { id } = await rest.createRoom({ name: 'measured' })

  async function change(): Promise<void> {
    const { body, statusCode } = await request(`${baseUrl}/api/video/rooms/${id}`, {
      dispatcher: agent,
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'changed' }),
    })
    await body.dump()
    if (statusCode !== 200) throw new Error(`a change was answered with ${statusCode}`)
  }

  /** @returns CPU milliseconds of the server in a second, and the events that each dashboard got */
  async function costOf(dashboards: number): Promise<{ cpuMs: number; events: number }> {
    let events = 0
    const open = await Promise.all(
      Array.from({ length: dashboards }, async () => {
        const { body } = await request(`${baseUrl}/api/dashboard/events`, { dispatcher: agent, headers })
        body.on('data', (chunk: Buffer) => {
          events += chunk.toString().split('event: changed').length - 1
        })
        body.on('error', () => {})
        return body
      }),
    )
    for (let count = 0; count < CHANGES_PER_SECOND; count++) await change()
    events = 0
    const [cpuBefore, startMs] = [cpuSeconds(server.pid), performance.now()]
    while (performance.now() - startMs < MEASURED_MS) {
      await change()
      await wait(1000 / CHANGES_PER_SECOND)
    }
    const seconds = (performance.now() - startMs) / 1000
    const cpuMs = ((cpuSeconds(server.pid) - cpuBefore) * 1000) / seconds
    for (const body of open) body.destroy()
    return { cpuMs, events: dashboards === 0 ? 0 : events / dashboards }
  }

  // The first run warms the server up.
  await costOf(1)
  const [none, one, many] = [await costOf(0), await costOf(1), await costOf(MANY)]
  await agent.destroy()
  console.log(
    `CPU of the server in a second: ${none.cpuMs.toFixed(1)} ms without a dashboard, ${one.cpuMs.toFixed(1)} ms with 1, ${many.cpuMs.toFixed(1)} ms with ${MANY}; each got ${many.events.toFixed(0)} events`,
  )
  if (many.events === 0) throw new Error('the dashboards were told nothing')
  report({
    what: `CPU of the server, ${MANY} dashboards / 1`,
    value: many.cpuMs / one.cpuMs,
    limit: 1.3,
    direction: 'at most',
  })
  report({
    what: `CPU of one dashboard more, among ${MANY}`,
    value: (many.cpuMs - one.cpuMs) / (MANY - 1),
    unit: 'ms/s',
    limit: 0.5,
    direction: 'at most',
  })
}
