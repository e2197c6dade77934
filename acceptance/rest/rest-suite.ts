import { afterAll, beforeAll, expect, test } from 'vitest'
import { enterConferenceChat, openChat } from '../testing/chat-clients.ts'
import { eventually } from '../testing/eventually.ts'
import { GREEN, useDeployment } from '../testing/use-deployment.ts'
import { operation } from './api-document.ts'
import { conventions } from './conventions.ts'
import { databaseAway } from './database-away.ts'
import { fields, parameters } from './fields.ts'
import { isolation } from './isolation.ts'
import { paging } from './paging.ts'
import { rules } from './rules.ts'
import { statuses, tooMany } from './statuses.ts'
import { prepare, type Suite } from './suite.ts'
import { typedClient } from './typed-client.ts'

/** Options of the server that the suite needs. */
export const REST_SUITE_OPTIONS: Readonly<Record<string, string>> = {
  PARLEY_REQUESTS_PER_MINUTE: '0',
  PARLEY_FAILED_SIGN_INS_PER_MINUTE: '1000',
  PARLEY_SESSION_GRACE_SECONDS: '0',
  PARLEY_MAX_WEBHOOKS_PER_PROJECT: '10000',
}

/** A suite with a server of its own. */
interface RestSuiteOptions {
  /** Options that differ from the server's defaults. */
  env?: Record<string, string>
  /** Whether it also takes the database away, that of one more server. */
  withFaults?: boolean
}

/**
 * The whole suite, against its own server or a deployment elsewhere.
 * @param name for log files and rooms
 */
export function restSuite(name: string, { env, withFaults = false }: RestSuiteOptions = {}): void {
  const deployment = useDeployment({
    name,
    participantsLive: 'for all tests',
    env: { ...REST_SUITE_OPTIONS, ...env },
  })
  const suite = { deployment } as Suite

  beforeAll(async () => {
    await prepare(suite, withFaults)
    await haveSession(suite)
    await suite.project.disableWebhook()
    suite.project.enterRoom = () => deployment.enter(GREEN, { room_name: deployment.roomName() })
  })
  afterAll(() => suite.caller?.close())

  conventions(suite)
  typedClient(suite)
  rules(suite)
  fields(suite)
  parameters(suite)
  paging(suite)
  isolation(suite)
  statuses(suite)
  if (withFaults) databaseAway(suite)
  tooMany(suite)

  test('every status of every operation was seen', () => {
    console.log(suite.coverage.table())
    expect(suite.coverage.holes()).toEqual([])
  })
}

/**
 * Creates what only a client can create: a session with a member, events, a message and a completed recording. While
 * the session runs, it cannot be deleted.
 */
async function haveSession({ deployment, caller, project }: Suite): Promise<void> {
  const { rest } = deployment
  const body = { name: deployment.roomName(), display_name: 'Town hall', record_on_start: true }
  await project.call(operation('createConference'), { body })
  const member = await deployment.enter(GREEN, { room_name: body.name })
  const recordings = () => rest.sessionRecordings(member.roomSessionId)
  const [running] = await eventually('a recording', recordings, ([one]) => one?.status === 'recording')

  const path = { id: running?.id ?? '' }
  const refused = await caller.call(operation('deleteRoomRecording'), {
    path,
    authorization: project.authorization,
  })
  expect([refused.status, refused.json.errors[0].code]).toEqual([422, 'invalid_state'])

  const chat = await openChat(member)
  const channel = await enterConferenceChat(chat, 'green')
  expect(await chat.call('green', 'publish', { channel, content: 'Hello all' })).toBeNull()

  await member.leave()
  await eventually('its end', recordings, ([one]) => one?.status === 'completed')
}
