import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryCluster } from '../../server/src/testing/temporary-cluster.ts'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually, within } from '../testing/eventually.ts'
import { enter, enterAgain, type Person, refusalAt } from './clients.ts'
import { DatabaseGate } from './database-gate.ts'
import { NodeNetwork } from './node-network.ts'
import { ThreeNodes } from './three-nodes.ts'

/** The longest time that a request may wait for something that does not answer. */
const ANSWERED_MS = 30_000
/** A client that hears nothing for 15 s connects anew. */
const SILENCE_MS = 20_000
const ROOMS = 6

let network: NodeNetwork
let gate: DatabaseGate
let all: ThreeNodes
beforeAll(async () => {
  network = await NodeNetwork.open()
  const postgres = await temporaryCluster()
  gate = await DatabaseGate.start([postgres], network.databaseHost)
  const database = { postgres, urlOf: gate.urlOf.bind(gate) }
  all = await ThreeNodes.start(
    'cluster-cuts',
    { PARLEY_SESSION_GRACE_SECONDS: '3600' },
    { database, network },
  )
})
afterAll(async () => {
  await all?.stop()
  await gate?.stop()
  await network?.close()
})

const tokenFor = (room_name: string, user_name = 'Ada') =>
  all.rest.createRoomToken({ room_name, user_name, permissions: ['room.self.audio_mute'] })

/** A room with Ada, who came by way of another node than its owner, and the others' names. */
async function roomWithAda(room: string): Promise<{ owner: string; others: string[]; ada: Person }> {
  const first = await enter(all.url, await tokenFor(room, 'Bob'))
  const owner = await all.ownerOf(room)
  const others = all.names.filter((name) => name !== owner)
  const ada = await enter(all.urlOf(others[0] ?? ''), await tokenFor(room))
  expect(ada.sessionId).toBe(first.sessionId)
  return { owner, others, ada }
}

/** The sessions that a room has had. */
const sessionsOf = (room: string) =>
  all.query(`select id, status from room_sessions where name = '${room}' order by id`)

test('a node whose packets to PostgreSQL are dropped keeps its meetings, begins none, and writes it all down later', {
  timeout: 200_000,
}, async () => {
  const room = 'without-database'
  const { owner, others, ada } = await roomWithAda(room)
  const tokens = await Promise.all(
    Array.from({ length: ROOMS }, (_, index) => tokenFor(`elsewhere-${index}`, 'Newcomer')),
  )
  const late = await tokenFor(room, 'Late')
  const heal = await network.cut(owner, [network.databaseHost])
  const cutAtMs = Date.now()
  try {
    const rest = all.restOf(owner)
    const asked = rest.send('GET', '/room_sessions')
    // What happens in the meeting does not wait for the database.
    await ada.client.request('video.member.audio_mute', {
      room_session_id: ada.sessionId,
      member_id: ada.memberId,
    })
    await ada.client.event('video.member.updated', {
      right: ({ member }) => (member as { audio_muted?: boolean }).audio_muted === true,
    })
    console.log(`muted ${Date.now() - cutAtMs} ms after the cut`)
    const { status, headers } = await within('the answer', ANSWERED_MS, asked)
    console.log(`REST: ${status} ${Date.now() - cutAtMs} ms after the cut`)
    expect(status).toBe(503)
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    await rest.close()
    // Nobody is let into the room whose owner cannot write that down, and everybody is told so.
    expect(await refusalAt(all.url, late)).toMatch(/again/i)
    // Other rooms begin at nodes that have the database, whichever is the least busy.
    for (const [index, token] of tokens.entries()) {
      const { client } = await enterAgain(all.url, token)
      expect(others).toContain(await all.ownerOf(`elsewhere-${index}`))
      client.socket.close(1001)
    }
    expect(ada.client.closeCode).toBeNull()
  } finally {
    await heal()
  }
  const healedAtMs = Date.now()
  const back = await enterAgain(all.urlOf(owner), late, 40_000)
  console.log(`in again ${Date.now() - healedAtMs} ms after the cut ended`)
  expect(back.sessionId).toBe(ada.sessionId)
  await eventually(
    'the mute is written down',
    () =>
      all.query(
        `select name from events where room_session_id = '${ada.sessionId}' and name = 'member.updated'`,
      ),
    (rows) => rows.length > 0,
    { timeoutMs: 30_000 },
  )
  expect(await sessionsOf(room)).toEqual([`${ada.sessionId}|in-progress`])
  for (const { client } of [ada, back]) client.socket.close(1001)
})

test('a node that the others cannot reach keeps its rooms, and whoever comes by way of them is told to try again', {
  timeout: 120_000,
}, async () => {
  const room = 'unreachable'
  const { owner, others, ada } = await roomWithAda(room)
  const tokens = await Promise.all(['Bob', 'Cleo', 'Dan'].map((name) => tokenFor(room, name)))
  const heal = await network.cut(
    owner,
    others.map((name) => network.hostOf(name)),
  )
  try {
    const refusals = await Promise.all(
      others.map((name, index) => refusalAt(all.urlOf(name), tokens[index] ?? '')),
    )
    for (const message of refusals) expect(message).toMatch(/again/i)
    const direct = await enter(all.urlOf(owner), tokens[2] ?? '')
    expect(direct.sessionId).toBe(ada.sessionId)
    // REST goes by NATS, so that any node acts on the session.
    for (const name of all.names) {
      const rest = all.restOf(name)
      const path = `/api/dashboard/live_rooms/${ada.sessionId}`
      const { status } = await within(
        'the answer',
        ANSWERED_MS,
        rest.send('PUT', path, { locked: name === 'b' }),
      )
      expect(status).toBe(200)
      await rest.close()
    }
    direct.client.socket.close(1001)
    // The page drops a socket on which nothing comes; here somebody else does so.
    await timePasses(SILENCE_MS, 'pings would have come')
    expect(await sessionsOf(room)).toEqual([`${ada.sessionId}|in-progress`])
  } finally {
    await heal()
  }
  const back = await enterAgain(all.urlOf(others[0] ?? ''), tokens[0] ?? '')
  expect(back.sessionId).toBe(ada.sessionId)
  expect(await sessionsOf(room)).toEqual([`${ada.sessionId}|in-progress`])
  for (const { client } of [ada, back]) client.socket.close(1001)
})
