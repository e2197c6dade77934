import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RelayClient } from '../testing/relay/relay-client.ts'
import { RunningRelay } from '../testing/relay/running-relay.ts'

let relay: RunningRelay
const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line)) })

beforeAll(async () => {
  relay = await RunningRelay.open({ log })
}, 30_000)
afterAll(() => relay.close())

/** What the log says of the room, with the name of whom it is about. */
const said = (room: string) =>
  lines.filter((line) => line.room === room).map(({ msg, name }) => [msg, name].filter(Boolean).join(': '))

const leave = (client: RelayClient & { call: { callID: string } }) =>
  client.verto('verto.bye', { dialogParams: { callID: client.call.callID } })

test('a meeting of four can be followed in the log, which has no token', async () => {
  const names = ['Ada', 'Ben', 'Cem', 'Dora']
  const people = []
  for (const user_name of names) people.push(await relay.enter({ room_name: 'lobby', user_name }))
  people.push(await relay.enter({ room_name: 'lobby', user_name: 'Eve', join_as: 'audience' }))
  for (const each of people) await leave(each)
  await expect
    .poll(() => said('lobby'))
    .toEqual([
      'session began',
      ...names.map((name) => `member came: ${name}`),
      ...names.map((name) => `member left: ${name}`),
      'session ended',
    ])
  const [began, came] = lines.filter(({ room }) => room === 'lobby')
  expect(came).toMatchObject({ level: 30, sessionId: began?.sessionId, memberId: expect.any(String) })
  const left = lines.find(({ msg }) => msg === 'member left')
  expect(left).toMatchObject({ reason: 'left', duration_ms: expect.any(Number) })
  const ended = lines.find(({ msg }) => msg === 'session ended')
  expect(ended).toMatchObject({ reason: 'empty', duration_ms: expect.any(Number) })
  expect(relay.tallies.joins.samples()).toEqual([
    { labels: { result: 'joined', fault: 'none' }, value: 5 },
    { labels: { result: 'failed', fault: 'ours' }, value: 0 },
  ])
  expect(relay.tallies.joinSeconds.samples()).toMatchObject([{ count: 5 }])
  const left5 = { labels: { event: 'member.left' }, value: 5 }
  expect(relay.tallies.events.samples()).toContainEqual(left5)
  const invites = { labels: { method: 'video.message', status: '200' }, value: 10 }
  expect(relay.tallies.webSocketRequests.samples()).toContainEqual(invites)
  expect(JSON.stringify(lines)).not.toMatch(/eyJ[\w-]{20}/)
})

test('refused sign-ins are logged with address and reason, and a flood of them is not', async () => {
  const refusals = () => lines.filter(({ msg }) => msg === 'sign-in refused')
  const connect = async (token: string) => {
    const client = await relay.open()
    await client.request('signalwire.connect', { authentication: { jwt_token: token } })
    client.drop()
  }
  await connect(await relay.token({ issued_at: Date.now() - 25 * 3600_000 }))
  expect(refusals()).toMatchObject([
    { level: 30, way: 'websocket', address: '127.0.0.1', reason: expect.stringContaining('expired') },
  ])
  await Promise.all(Array.from({ length: 80 }, () => connect('eyJguess')))
  expect(refusals()).toHaveLength(60)
  expect(lines.filter(({ msg }) => String(msg).startsWith('many sign-ins'))).toHaveLength(1)
  expect(JSON.stringify(lines)).not.toContain('eyJguess')
})
