import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

let count = 0
async function conference(settings: object = {}) {
  const body = { name: `town hall ${++count}`.replaceAll(' ', '-'), display_name: 'Town hall', ...settings }
  const { json } = await server.call('conferences', { method: 'POST', body })
  const { data } = (await server.call(`conferences/${json.id}/conference_tokens`)).json
  return { conference: json, moderator: data[0], guest: data[1] }
}
const read = (token: string) =>
  server.call('invitation', { credentials: null, headers: { authorization: `Bearer ${token}` } })
const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

it('shows the look of the conference to whoever has its token, and nothing else', async () => {
  const {
    conference: made,
    moderator,
    guest,
  } = await conference({
    description: 'Once a quarter.',
    dark_primary: '#0B6E4F',
    enable_chat: false,
  })
  const { status, json } = await read(guest.token)
  expect(status).toBe(200)
  expect(Object.keys(json).sort()).toEqual(
    [
      ...[
        'name',
        'display_name',
        'description',
        'join_from',
        'join_until',
        'size',
        'enable_chat',
        'waiting_room',
      ],
      ...['dark', 'light'].flatMap((theme) =>
        ['primary', 'background', 'foreground', 'success', 'negative'].map((colour) => `${theme}_${colour}`),
      ),
      ...['role', 'state', 'now'],
    ].sort(),
  )
  const { name, display_name, description, dark_primary, light_primary, enable_chat, size } = made
  expect(json).toMatchObject({
    ...{ name, display_name, description, dark_primary, light_primary, enable_chat, size },
    role: 'guest',
    state: 'open',
  })
  expect(Math.abs(Date.parse(json.now) - Date.now())).toBeLessThan(10_000)
  expect((await read(moderator.token)).json.role).toBe('moderator')
})

it.each([
  [{ join_from: hour(1) }, 'early'],
  [{ join_from: hour(-2), join_until: hour(-1) }, 'over'],
  [{ join_from: hour(-1), join_until: hour(1) }, 'open'],
])('tells by the times %j that it is %s', async (times, state) => {
  const { guest } = await conference(times)
  expect((await read(guest.token)).json.state).toBe(state)
})

it('is not readable any more by a token that was reset, nor by that of a deleted conference', async () => {
  const { conference: made, moderator, guest } = await conference()
  await server.call(`conference_tokens/${guest.id}/reset`, { method: 'POST' })
  expect((await read(guest.token)).status).toBe(401)
  await server.call(`conferences/${made.id}`, { method: 'DELETE' })
  expect((await read(moderator.token)).status).toBe(401)
})

it.each(['', 'vpt_', `vpt_${'0'.repeat(48)}`, `vpt_${'f'.repeat(5000)}`, 'vpt_%00', 'a.b.c'])(
  'refuses the token %j',
  async (token) => {
    const { status, json } = await read(token)
    expect(status).toBe(401)
    expect(JSON.stringify(json)).toContain('token_invalid')
  },
)

it('wants the token of a conference, not that of the project, nor may that token do more', async () => {
  const { conference: made, moderator } = await conference()
  expect((await server.call('invitation')).status).toBe(401)
  const authorization = { credentials: null, headers: { authorization: `Bearer ${moderator.token}` } }
  expect((await server.call(`conferences/${made.id}`, authorization)).status).toBe(401)
})

it('leads to the page of the conference, with the token where no server sees it', async () => {
  const { conference: made, guest } = await conference()
  const url = new URL(guest.url)
  expect(url.pathname).toBe(`/c/${made.name}`)
  expect(url.search).toBe('')
  expect(url.hash).toBe(`#${guest.token}`)
  const reset = await server.call(`conference_tokens/${guest.id}/reset`, { method: 'POST' })
  expect(reset.json.url).toBe(guest.url.replace(guest.token, reset.json.token))
})

it('does not use up the requests of the project, and is limited by address', async () => {
  const limited = await startTestServer({ PARLEY_REQUESTS_PER_MINUTE: '6' })
  try {
    const { id } = (await limited.call('conferences', { method: 'POST', body: { display_name: 'x' } })).json
    const { data } = (await limited.call(`conferences/${id}/conference_tokens`)).json
    const headers = { authorization: `Bearer ${data[0].token}` }
    const look = () => limited.call('invitation', { credentials: null, headers })
    for (let i = 0; i < 10; i++) expect((await look()).status).toBe(200)
    expect((await limited.call('rooms')).headers['ratelimit-remaining']).toBe('3')
    const answers = await Promise.all(Array.from({ length: 1200 }, look))
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0)
    expect((await limited.call('rooms')).status).toBe(200)
  } finally {
    await limited.stop()
  }
})
