import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ PARLEY_REQUESTS_PER_MINUTE: '0' })
})
afterAll(() => server.stop())

let count = 0
async function conference(settings: object = {}) {
  const body = { name: `look-${++count}`, display_name: 'Town hall', public_look: true, ...settings }
  return (await server.call('conferences', { method: 'POST', body })).json
}
const look = (name: string, project = server.projectId) =>
  server.call(`conference_looks/${encodeURIComponent(name)}?project_id=${project}`, { credentials: null })
const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()

it('shows everybody the look of a conference that wants it, and no secret', async () => {
  const made = await conference({
    description: 'Once a quarter.',
    dark_primary: '#0B6E4F',
    meta: { key: 'secret' },
  })
  const { status, json, headers } = await look(made.name)
  expect(status).toBe(200)
  expect(json).toMatchObject({
    name: made.name,
    display_name: 'Town hall',
    description: 'Once a quarter.',
    dark_primary: '#0B6E4F',
    state: 'open',
  })
  expect(Object.keys(json)).not.toEqual(expect.arrayContaining(['id']))
  expect(JSON.stringify(json)).not.toMatch(/vpt_|secret|project_id/)
  expect(headers['cache-control']).toBe('no-store')
})

it.each([
  [{ join_from: hour(1) }, 'early'],
  [{ join_from: hour(-2), join_until: hour(-1) }, 'over'],
  [{}, 'open'],
])('tells by the times %j that it is %s', async (times, state) => {
  const { name } = await conference(times)
  expect((await look(name)).json.state).toBe(state)
})

it('tells nobody which other names there are', async () => {
  const hidden = await conference({ public_look: false })
  const usual = await server.call('conferences', { method: 'POST', body: { display_name: 'x' } })
  expect(usual.json.public_look).toBe(false)
  const room = (await server.call('rooms', { method: 'POST', body: { name: 'a-room' } })).json
  const shown = await conference()
  const answers = await Promise.all([
    look('no-such-conference'),
    look(hidden.name),
    look(usual.json.name),
    look(room.name),
    look(shown.id),
    look(shown.name, newId()),
    look('a b\0'),
    look('‮</script>'),
  ])
  for (const { status, text } of answers) {
    expect(status).toBe(404)
    expect(text).toBe(answers[0]?.text)
  }
  const withdrawn = await server.call(`conferences/${shown.id}`, {
    method: 'PUT',
    body: { display_name: 'x', public_look: null },
  })
  expect(withdrawn.json.public_look).toBe(false)
  expect((await look(shown.name)).status).toBe(404)
})

it('wants to know the project', async () => {
  expect((await server.call('conference_looks/x', { credentials: null })).status).toBe(400)
})

it('is limited by address, so that trying names takes long, and costs the project nothing', async () => {
  const limited = await startTestServer({ PARLEY_REQUESTS_PER_MINUTE: '6' })
  try {
    const path = `conference_looks/x?project_id=${limited.projectId}`
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => limited.call(path, { credentials: null })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThanOrEqual(80)
    expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0)
    expect((await limited.call('rooms')).status).toBe(200)
  } finally {
    await limited.stop()
  }
})
