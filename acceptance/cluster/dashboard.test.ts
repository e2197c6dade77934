import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { enter } from './clients.ts'
import { ThreeNodes } from './three-nodes.ts'

let all: ThreeNodes
beforeAll(async () => {
  all = await ThreeNodes.start('cluster-dashboard')
})
afterAll(() => all?.stop())

test('the dashboard shows the running rooms of all nodes, and acts on each, whichever node it reaches', async () => {
  const people = await Promise.all(
    ['one', 'two', 'three'].map(async (room_name) =>
      enter(
        all.url,
        await all.rest.createRoomToken({ room_name, user_name: 'Ada', join_audio_muted: false }),
      ),
    ),
  )
  const ids = people.map(({ sessionId }) => sessionId).sort()
  for (const name of all.names) {
    const rest = all.restOf(name)
    const { body } = await rest.send<{ total: number; data: { id: string }[] }>(
      'GET',
      '/api/dashboard/live_rooms',
    )
    expect(body.total).toBe(3)
    expect(body.data.map(({ id }) => id).sort()).toEqual(ids)
    const now = await rest.send('GET', '/api/dashboard/now')
    expect(now.body).toMatchObject({ rooms: 3, members: 3 })
    for (const { sessionId } of people) {
      const path = `/api/dashboard/live_rooms/${sessionId}`
      const changed = await rest.send('PUT', path, { locked: name === 'b' })
      expect(changed.body).toMatchObject({ id: sessionId, locked: name === 'b' })
    }
    const missing = await rest.send('DELETE', `/api/dashboard/live_rooms/${crypto.randomUUID()}`)
    expect(missing.status).toBe(404)
    await rest.close()
  }
  const anywhere = all.restOf('a')
  for (const { sessionId } of people) {
    expect((await anywhere.send('DELETE', `/api/dashboard/live_rooms/${sessionId}`)).status).toBe(204)
  }
  for (const { client } of people) client.socket.close()
  expect((await anywhere.send('GET', '/api/dashboard/now')).body).toMatchObject({ rooms: 0 })
  await anywhere.close()
})

test('an open dashboard hears of what happens on every node', async () => {
  const { projectId, apiToken, ca } = all.node('c').access
  const agent = new Agent({ connect: { ca: ca ?? '' } })
  const stream = await request(new URL('/api/dashboard/events', all.urlOf('c').replace('wss', 'https')), {
    headers: { authorization: `Basic ${Buffer.from(`${projectId}:${apiToken}`).toString('base64')}` },
    dispatcher: agent,
  })
  let text = ''
  stream.body.setEncoding('utf8')
  stream.body.on('data', (part: string) => {
    text += part
  })
  stream.body.on('error', () => {})
  for (let count = 0; count < 4; count++) {
    const token = await all.rest.createRoomToken({ room_name: `news-${count}`, user_name: 'Ada' })
    const { sessionId } = await enter(all.url, token)
    await expect.poll(() => text, { timeout: 5000 }).toContain(sessionId)
    await expect.poll(() => text, { timeout: 5000 }).toContain(`"rooms":${count + 1},`)
  }
  stream.body.destroy()
  await agent.destroy()
})
