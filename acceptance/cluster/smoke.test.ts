import { afterAll, beforeAll, expect, test } from 'vitest'
import { enter, enterAgain, type Person } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'

let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-smoke', {
    PARLEY_SESSION_GRACE_SECONDS: '2',
    PARLEY_ALLOW_PRIVATE_TARGETS: '1',
  })
})
afterAll(() => all?.stop())

const tokenFor = (room_name: string, user_name: string) => all.rest.createRoomToken({ room_name, user_name })

test('people whose sockets land on different nodes meet in one session', async () => {
  const people: Person[] = []
  for (const name of ['Ada', 'Bob', 'Cleo', 'Dan'])
    people.push(await enter(all.url, await tokenFor('standup', name)))
  expect(new Set(people.map(({ sessionId }) => sessionId)).size).toBe(1)
  const [ada, , , dan] = people as [Person, Person, Person, Person]
  await ada.client.event('video.member.joined', {
    right: ({ member }) => (member as { id: string }).id === dan.memberId,
  })
  expect(await all.rest.members(ada.sessionId)).toHaveLength(4)
  for (const { client } of people) client.socket.close()
})

test('a room that is entered by three nodes at once has one session', async () => {
  for (let race = 0; race < 10; race++) {
    const room = `race-${race}`
    const token = await tokenFor(room, 'Ada')
    const people = await Promise.all(all.names.map((name) => enter(all.urlOf(name), token)))
    expect(new Set(people.map(({ sessionId }) => sessionId)).size).toBe(1)
    for (const { client } of people) client.socket.close()
  }
})

test('what is asked of any node reaches the one that runs the session', async () => {
  const room = await all.rest.send<{ id: string }>('POST', '/rooms', { name: 'acted-on' })
  const { client } = await enter(all.url, await tokenFor('acted-on', 'Ada'))
  const url = 'rtmp://127.0.0.1:1/live/key'
  const path = `/rooms/${room.body.id}/streams`
  const { body: stream } = await all.rest.send<{ id: string }>('POST', path, { url })
  // Nothing listens there, so the session tries again. A node that did not ask the owner would say that it waits.
  for (const name of all.names) {
    const rest = all.restOf(name)
    const status = async () =>
      (await rest.send<{ status: string }>('GET', `/streams/${stream.id}`)).body.status
    await expect.poll(status, { timeout: 10_000 }).toMatch(/connecting|retrying/)
    await rest.close()
  }
  const deleted = await all.rest.send('DELETE', `/rooms/${room.body.id}`)
  expect(deleted.status).toBe(204)
  await client.vertoEvent('verto.bye')
  expect(await all.ownerOf('acted-on')).toBe('')
  client.socket.close()
})

test('the room of a killed node goes on at another one', { timeout: 60_000 }, async () => {
  const token = await tokenFor('killed', 'Ada')
  const before = await enter(all.url, token)
  const owner = await all.ownerOf('killed')
  await all.node(owner).killEverything()
  await before.client.closed()
  const after = await enterAgain(all.url, token)
  expect(after.sessionId).not.toBe(before.sessionId)
  expect(await all.ownerOf('killed')).not.toBe(owner)
  const events = await all.query(
    `select payload from events where room_session_id = '${before.sessionId}' and name = 'room.ended'`,
  )
  expect(events.map((payload) => JSON.parse(payload))).toMatchObject([
    { reason: 'server_interrupted', node: owner },
  ])
  after.client.socket.close()
})
