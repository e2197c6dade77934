import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keptMib, MEMORY_ENV } from '../testing/memory.ts'
import { useDeployment } from '../testing/use-deployment.ts'
import { faultOf, operation, operations } from './api-document.ts'
import { type ArbitraryCall, arbitraryCall } from './arbitrary-call.ts'
import type { Call, CallAnswer } from './caller.ts'
import { LiveIds } from './live-ids.ts'
import { freshName } from './project.ts'
import { prepare, type Suite } from './suite.ts'

/** `npm run test:long` sends more. */
const REQUESTS = process.env.PARLEY_LONG_FAULTS === '1' ? 20_000 : 8000
const AT_ONCE = 40
/** After this number of requests, everything that grows at its first use has grown. */
const WARM_UP_REQUESTS = 5000
/** Limit for the growth of the server from the end of the warm-up to the end, in MiB. */
const GROWTH_LIMIT_MIB = 16

const deployment = useDeployment({
  name: 'fuzz',
  env: {
    ...MEMORY_ENV,
    PARLEY_REQUESTS_PER_MINUTE: '0',
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '0',
    PARLEY_MAX_WEBHOOKS_PER_PROJECT: '10000',
  },
})
const suite = { deployment } as Suite
/** A text in everything that the other project has. No answer to this project may contain it. */
const SECRET = `secret-${freshName()}`
const otherIds: string[] = []

beforeAll(async () => {
  await prepare(suite)
  const { other } = suite
  for (const id of ['createRoom', 'createConference']) {
    const body = { name: `${SECRET}-${id}`, display_name: SECRET, description: SECRET, meta: { of: SECRET } }
    otherIds.push((await other.call(operation(id), { body })).id)
  }
  otherIds.push(await other.makeConferenceToken(), await other.makeStream())
}, 60_000)
afterAll(() => suite.caller?.close())

/** The state of the other project, as its owner sees it. Figures of the dashboard are those of a moment. */
async function stateOfOther(): Promise<unknown[]> {
  const lists = operations.filter(
    ({ method, path, pathParameters, takesBasic }) =>
      method === 'GET' && pathParameters.length === 0 && takesBasic && !path.startsWith('/api/dashboard/'),
  )
  return Promise.all(lists.map((list) => suite.other.call(list, { query: { page_size: '1000' } })))
}

test(`${REQUESTS} requests with bad and good input bring nothing out of order`, async () => {
  const { project, other, parties, strangers, caller } = suite
  const live = new LiveIds(project)
  const known = {
    ids: [...otherIds, project.projectId, other.projectId],
    authorizations: [parties.limited, strangers.wrongToken, project.userToken, 'Bearer x', 'Basic', ''],
    good: (target: (typeof operations)[number]) => project.authorizationFor(target),
  }
  const before = await stateOfOther()
  const counts = new Map<number, number>()
  let sent = 0
  let warmMib = 0

  const check = async ({ operation, call: template }: ArbitraryCall) => {
    const call = live.fill(operation, template)
    const answer = await caller.send(operation, call)
    const fault = isBeyondOperations(answer, call) ? undefined : faultOf(operation, answer)
    const told = `${operation.id} -> ${answer.status} ${answer.text.slice(0, 500)}`
    expect(answer.status, told).toBeLessThan(500)
    expect(fault, told).toBeUndefined()
    expect(answer.text.includes(SECRET) && !JSON.stringify(call).includes(SECRET), told).toBe(false)
    live.note(operation, call, answer)
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryCall(known), { minLength: AT_ONCE, maxLength: AT_ONCE }),
      async (calls) => {
        await live.refill()
        await Promise.all(calls.map(check))
        sent += calls.length
        if (warmMib === 0 && sent >= WARM_UP_REQUESTS) warmMib = await keptMib(deployment.server)
      },
    ),
    { numRuns: REQUESTS / AT_ONCE, endOnFailure: true },
  )

  const mib = await keptMib(deployment.server)
  const byStatus = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  console.log(
    `${sent} requests; ${byStatus.join(', ')}; ${warmMib.toFixed(0)} MiB warm, ${mib.toFixed(0)} MiB after`,
  )
  expect(sent).toBeGreaterThanOrEqual(REQUESTS)
  expect(mib - warmMib).toBeLessThan(GROWTH_LIMIT_MIB)
  // Checks that not all requests were refused.
  expect((counts.get(200) ?? 0) / sent).toBeGreaterThan(0.1)
  expect(await stateOfOther()).toEqual(before)
  expect(await deployment.server.readyStatus()).toBe(200)
}, 180_000)

/**
 * Whether an answer belongs to no operation. This happens if a value is too long for the parser, or the router sees a
 * different path.
 */
function isBeyondOperations(answer: CallAnswer, { path, query }: Call): boolean {
  const values = typeof path === 'object' ? Object.values(path) : []
  const isElsewhere = values.some((value) => value.length > 100 || value === '' || /^\.{1,2}$/.test(value))
  const length = encodeURI(JSON.stringify([path, query])).length
  return (answer.status === 404 && isElsewhere) || (answer.status === 400 && length > 8000)
}
