import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../harness/eventually.ts'
import { GREEN, useDeployment } from '../harness/use-deployment.ts'
import { conventions } from './conventions.ts'
import { fields, parameters } from './fields.ts'
import { isolation } from './isolation.ts'
import { paging } from './paging.ts'
import { rules } from './rules.ts'
import { statuses, tooMany } from './statuses.ts'
import { prepare, type Suite } from './suite.ts'
import { typedClient } from './typed-client.ts'

const deployment = useDeployment({
  name: 'rest',
  env: {
    PARLEY_REQUESTS_PER_MINUTE: '0',
    PARLEY_FAILED_SIGN_INS_PER_MINUTE: '1000',
    PARLEY_SESSION_GRACE_SECONDS: '0',
  },
})
const suite = { deployment } as Suite

beforeAll(async () => {
  await prepare(suite)
  await haveSession()
})
afterAll(() => suite.caller?.close())

/** What only a client makes: a session with a member, events and a completed recording. */
async function haveSession(): Promise<void> {
  const { rest } = deployment
  const room = await rest.createRoom({ name: deployment.roomName(), record_on_start: true })
  const member = await deployment.enter(GREEN, { room_name: room.name })
  const recordings = () => rest.sessionRecordings(member.roomSessionId)
  await eventually('a recording', recordings, ([one]) => one?.status === 'recording')
  await member.leave()
  await eventually('its end', recordings, ([one]) => one?.status === 'completed')
}

conventions(suite)
typedClient(suite)
rules(suite)
fields(suite)
parameters(suite)
paging(suite)
isolation(suite)
statuses(suite)
tooMany(suite)

test('every status of every operation was seen', () => {
  console.log(suite.coverage.table())
  expect(suite.coverage.holes()).toEqual([])
})
