import { afterAll, beforeAll, expect, test } from 'vitest'
import { enterAgain } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'

const RACES = 1000
/** Rooms that are raced for at the same time. */
const AT_ONCE = 5

let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-races', {
    PARLEY_SESSION_GRACE_SECONDS: '1',
    PARLEY_RECONNECT_GRACE_SECONDS: '1',
  })
})
afterAll(() => all?.stop())

test(`${RACES} rooms that are entered by three nodes at once have one session each`, {
  timeout: 1_200_000,
}, async () => {
  const owners = new Map<string, number>()
  async function race(room: string): Promise<void> {
    const token = await all.rest.createRoomToken({ room_name: room, user_name: 'Ada' })
    const people = await Promise.all(all.names.map((name) => enterAgain(all.urlOf(name), token)))
    expect(new Set(people.map(({ sessionId }) => sessionId)).size).toBe(1)
    const owner = await all.ownerOf(room)
    owners.set(owner, (owners.get(owner) ?? 0) + 1)
    for (const { client } of people) client.socket.close(1001)
  }
  for (let at = 0; at < RACES; at += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, one) => race(`race-${at + one}`)))
  }
  console.log('sessions by owner:', Object.fromEntries(owners))
  const twice = await all.query(`select name from room_sessions group by name having count(*) > 1`)
  expect(twice).toEqual([])
  expect(owners.size).toBe(all.names.length)
})
