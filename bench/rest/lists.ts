/**
 * Cost of a list's pages: in a project of a million rooms compared with one of a thousand, and deep in the list
 * compared with its start.
 */
import { Agent, request } from 'undici'
import { administer } from '../../acceptance/testing/administration.ts'
import { Rest } from '../../acceptance/testing/rest.ts'
import { median } from '../median.ts'
import type { Stage } from '../on-a-server.ts'
import { report } from '../report.ts'
import { basic } from './credentials.ts'
import { multiplyRooms } from './many-rooms.ts'

const FEW_ROOMS = 1000
const MANY_ROOMS = 1_000_000
const FAR_PAGE = 10_000
const LISTS = 400
const FIRST_PAGE = '/api/video/rooms?page_size=50'

/** Creates a project with this many rooms. @returns its credentials */
async function projectOf({ server }: Stage, rooms: number): Promise<string> {
  const projectId = await administer(server, 'projects', 'create', '--name', `of ${rooms}`)
  const apiToken = await administer(server, 'tokens', 'create', '--project', projectId, '--scopes', 'all')
  const rest = new Rest({ ...server.access, projectId, apiToken })
  await rest.createRoom({ name: 'first' })
  await rest.close()
  multiplyRooms(server, projectId, rooms)
  return basic(projectId, apiToken)
}

type Get = (path: string, authorization: string) => Promise<{ ms: number; next: string | null }>

async function pathOfFarPage(get: Get, authorization: string): Promise<string> {
  let far = FIRST_PAGE
  for (let page = 1; page < FAR_PAGE; page++) {
    const { next } = await get(far, authorization)
    if (next === null) throw new Error(`the list ends on page ${page}`)
    far = next
  }
  return far
}

/** Sends requests one after another on one connection, alternating between the three kinds. */
export async function measureLists(stage: Stage): Promise<void> {
  const { baseUrl, ca } = stage.server.access
  const agent = new Agent({ connect: ca === undefined ? {} : { ca }, connections: 1 })
  const get: Get = async (path, authorization) => {
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
  const far = await pathOfFarPage(get, many)
  const times = { few: [] as number[], first: [] as number[], far: [] as number[] }
  for (let i = 0; i < LISTS; i++) {
    times.few.push((await get(FIRST_PAGE, few)).ms)
    times.first.push((await get(FIRST_PAGE, many)).ms)
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
