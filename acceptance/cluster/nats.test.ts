import { afterAll, beforeAll, expect, test } from 'vitest'
import { timePasses } from '../../server/src/testing/time-passes.ts'
import { eventually } from '../testing/eventually.ts'
import { enter, enterAgain } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'

let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-nats', { PARLEY_SESSION_GRACE_SECONDS: '3600' })
})
afterAll(() => all?.stop())

const tokenFor = (room_name: string, user_name = 'Ada') => all.rest.createRoomToken({ room_name, user_name })

const endsOf = async (sessionId: string) =>
  (
    await all.query(
      `select payload from events where room_session_id = '${sessionId}' and name = 'room.ended'`,
    )
  ).map((payload) => JSON.parse(payload) as { reason: string })

test('a meeting goes on while NATS is killed and started again', async () => {
  const ada = await enter(all.url, await tokenFor('restart'))
  const owner = await all.ownerOf('restart')
  await all.nats.kill()
  await all.nats.start()
  await timePasses(8000, 'claims would have expired')
  expect(await all.ownerOf('restart')).toBe(owner)
  expect(ada.client.closeCode).toBeNull()
  for (const name of all.names) {
    const { client, sessionId } = await enterAgain(all.urlOf(name), await tokenFor('restart', name))
    expect(sessionId).toBe(ada.sessionId)
    client.socket.close()
  }
  ada.client.socket.close()
})

test('an owner that is cut off from NATS lets go before another node begins the room', async () => {
  const token = await tokenFor('cut-off')
  const before = await enter(all.url, token)
  const owner = await all.ownerOf('cut-off')
  const others = all.names.filter((name) => name !== owner)
  const cutAtMs = performance.now()
  all.cutOff(owner)
  try {
    // Until its claim is lost, it is the owner, and others pass sockets on to it.
    await eventually(
      'the owner lets go',
      async () => before.client.closeCode,
      (code) => code !== null,
    )
    const after = await enterAgain(all.urlOf(others[0] ?? ''), token)
    console.log(`back ${Math.round(performance.now() - cutAtMs)} ms after the cut`)
    expect(after.sessionId).not.toBe(before.sessionId)
    expect(await all.ownerOf('cut-off')).not.toBe(owner)
    expect(await endsOf(before.sessionId)).toMatchObject([{ reason: 'ownership_lost' }])
    expect(before.client.closeCode).toBe(1012)
    // By the node that is cut off nobody gets in, and above all not into a session of its own.
    await expect(enter(all.urlOf(owner), token)).rejects.toThrow()
    expect(
      await all.query(`select id from room_sessions where name = 'cut-off' and status = 'in-progress'`),
    ).toEqual([after.sessionId])
    after.client.socket.close()
  } finally {
    all.reconnect(owner)
  }
  const again = await enterAgain(all.urlOf(owner), token)
  expect(await all.ownerOf('cut-off')).not.toBe('')
  again.client.socket.close()
})

test('an owner that stood still writes nothing over what its successor wrote', async () => {
  const token = await tokenFor('still')
  const before = await enter(all.url, token)
  const owner = await all.ownerOf('still')
  const other = all.names.find((name) => name !== owner) ?? ''
  const { pid } = all.node(owner)
  process.kill(pid, 'SIGSTOP')
  let after: Awaited<ReturnType<typeof enterAgain>>
  try {
    after = await enterAgain(all.urlOf(other), token)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  expect(after.sessionId).not.toBe(before.sessionId)
  await eventually(
    'the owner has noticed',
    async () => before.client.closeCode,
    (code) => code !== null,
  )
  await timePasses(3000, 'the owner that stood still would write')
  expect(await endsOf(before.sessionId)).toMatchObject([{ reason: 'server_interrupted', node: owner }])
  // Any of the others may have been the first to take the room over.
  expect(await all.ownerOf('still')).not.toBe(owner)
  expect(
    await all.query(`select id from room_sessions where name = 'still' and status = 'in-progress'`),
  ).toEqual([after.sessionId])
  after.client.socket.close()
})
