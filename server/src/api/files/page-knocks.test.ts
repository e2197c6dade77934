import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

interface Door {
  moderator: string
  guest: string
  name: string
}
let door: Door
let number = 0
async function doorOf(settings: object): Promise<Door> {
  const body = { display_name: `Hall ${++number}`, ...settings }
  const { json: made } = await server.call('conferences', { method: 'POST', body })
  const { data } = (await server.call(`conferences/${made.id}/conference_tokens`)).json
  const tokenOf = (role: string) => data.find(({ name }: { name: string }) => name === role).token
  return { moderator: tokenOf('moderator'), guest: tokenOf('guest'), name: made.name }
}
beforeEach(async () => {
  door = await doorOf({ waiting_room: true })
})

const as = (token: string, method: 'GET' | 'POST' | 'DELETE', path = '', body?: object) =>
  server.call(`/page/knocks${path}`, {
    method,
    credentials: null,
    headers: { authorization: `Bearer ${token}` },
    ...(body && { body }),
  })
const knock = async (name = 'Grace', token = door.guest) => (await as(token, 'POST', '', { name })).json
const list = async (known = 0) => (await as(door.moderator, 'GET', `?known=${known}`)).json
const decide = (id: string, let_in: boolean, token = door.moderator) =>
  as(token, 'POST', `/${id}/answer`, { let_in })

it('shows moderators who knocks, and lets in whom they let in', async () => {
  const { id, state } = await knock('Grace\nHopper ')
  expect(state).toBe('waiting')
  const { version, knocks } = await list()
  expect(knocks).toMatchObject([{ id, name: 'Grace Hopper' }])
  const [waiting, told] = [as(door.guest, 'GET', `/${id}`), list(version)]
  expect((await decide(id, true)).status).toBe(204)
  expect((await waiting).json).toMatchObject({
    state: 'let-in',
    pass: expect.stringMatching(/^\w+:[\w-]{43}$/),
  })
  expect((await told).knocks).toEqual([])
  expect((await decide(id, false)).status).toBe(404)
})

it('refuses whom they refuse', async () => {
  const { id } = await knock()
  await decide(id, false)
  expect((await as(door.guest, 'GET', `/${id}`)).json).toEqual({ state: 'refused' })
})

it('forgets who goes away', async () => {
  const { id } = await knock()
  const { version } = await list()
  const told = list(version)
  expect((await as(door.guest, 'DELETE', `/${id}`)).status).toBe(204)
  expect((await told).knocks).toEqual([])
  expect((await as(door.guest, 'GET', `/${id}`)).status).toBe(404)
})

it('does not ask moderators and audience, nor anybody where there is no waiting room', async () => {
  expect(await knock('Ada', door.moderator)).toMatchObject({ state: 'let-in', pass: null })
  const { json } = await server.call('room_tokens', {
    method: 'POST',
    body: { room_name: door.name, join_as: 'audience' },
  })
  expect(await knock('Eve', json.token)).toMatchObject({ state: 'let-in' })
  door = await doorOf({})
  expect(await knock()).toMatchObject({ state: 'let-in', pass: null })
  expect(await list()).toEqual({ version: 0, knocks: [] })
})

it('lets nobody decide or look who may not lock the room, or who is of another one', async () => {
  const { id } = await knock()
  expect((await decide(id, true, door.guest)).status).toBe(403)
  expect((await as(door.guest, 'GET')).status).toBe(403)
  const other = await doorOf({ waiting_room: true })
  expect((await decide(id, true, other.moderator)).status).toBe(404)
  expect((await as(other.guest, 'GET', `/${id}`)).status).toBe(404)
  for (const token of ['', 'x', `vpt_${'0'.repeat(48)}`]) {
    expect((await as(token, 'POST', '', { name: 'x' })).status).toBe(401)
  }
})

it('takes no more than a hundred', async () => {
  const answers = await Promise.all(
    Array.from({ length: 101 }, () => as(door.guest, 'POST', '', { name: 'x' })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
  expect(answers.filter(({ status }) => status === 422)).toHaveLength(1)
})

it.each([{}, { name: 7 }, { name: 'x'.repeat(500) }])('refuses the knock %j', async (body) => {
  expect([400, 422]).toContain((await as(door.guest, 'POST', '', body)).status)
  expect((await as(door.guest, 'GET', '/not-an-id')).status).toBeGreaterThanOrEqual(400)
})
