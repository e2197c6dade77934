import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { freePort } from '../../testing/free-port.ts'
import { RtmpServer } from '../../testing/media/rtmp-server.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { addUser, signIn } from '../../testing/signed-in-user.ts'

const URL = 'rtmp://203.0.113.9/app/secret-key'
let server: TestServer
let strict: TestServer
let folder: string

beforeAll(async () => {
  server = await startTestServer({ PARLEY_ALLOW_PRIVATE_TARGETS: '1' })
  strict = await startTestServer()
  folder = await mkdtemp(join(tmpdir(), 'parley-stream-tests-'))
})
afterAll(async () => {
  await server.stop()
  await strict.stop()
  await rm(folder, { recursive: true })
})

const list = async (query = '') => (await server.call(`/api/dashboard/streams?${query}`)).json
const test = (url: unknown, on = server) =>
  on.call('/api/dashboard/stream_tests', { method: 'POST', body: { url } })

it('lists the streams of all rooms by state, page by page, and hides addresses from viewers', async () => {
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    const room = (await server.call('rooms', { method: 'POST', body: { name } })).json.id
    ids.push((await server.call(`rooms/${room}/streams`, { method: 'POST', body: { url: URL } })).json.id)
  }
  const page = await list('page_size=2')
  expect(page.data).toMatchObject([
    {
      id: ids[2],
      room_name: 'three',
      destination: 'rtmp://203.0.113.9/app/…',
      status: 'waiting',
      kept: true,
    },
    { id: ids[1] },
  ])
  const next = (await server.call(page.links.next)).json
  expect(next.data).toMatchObject([{ id: ids[0] }])
  expect((await server.call(next.links.prev)).json.data).toEqual(page.data)
  expect((await list('status=live')).data).toEqual([])
  expect((await list('status=waiting')).data).toHaveLength(3)
  expect((await server.call('/api/dashboard/streams?status=asleep')).status).toBe(422)

  await addUser(server.storage, server.projectId, 'Vera', 'viewer')
  const viewer = await signIn(server, 'Vera')
  const seen = await viewer.call('/api/dashboard/streams')
  expect(seen.status).toBe(200)
  expect(seen.json.data).toHaveLength(3)
  expect(seen.text).not.toContain('203.0.113.9')
  for (const path of [
    `streams/${ids[0]}/stop`,
    `streams/${ids[0]}/start`,
    'stream_tests',
    `live_rooms/${newId()}/mute`,
  ]) {
    const answer = await viewer.call(`/api/dashboard/${path}`, { method: 'POST', body: { url: URL } })
    expect([path, answer.status]).toEqual([path, 403])
  }
  expect((await viewer.call(`/api/video/streams/${ids[0]}`)).status).toBe(403)
})

it('answers 404 for streams that do not run', async () => {
  for (const id of [newId(), 'x']) {
    expect((await server.call(`/api/dashboard/streams/${id}/stop`, { method: 'POST' })).status).toBe(404)
  }
})

it('tests an address with a picture that arrives', async () => {
  const file = join(folder, 'test.flv')
  const rtmp = await RtmpServer.start(file)
  const answer = await test(`rtmp://127.0.0.1:${rtmp.port}/app/key`)
  expect(answer.json).toEqual({ outcome: 'taken', published_ms: expect.any(Number) })
  expect(answer.json.published_ms).toBeGreaterThanOrEqual(2900)
  await rtmp.ended()
  const { size } = await stat(file)
  expect(size).toBeGreaterThan(10_000)
}, 30_000)

it('says where nobody listens, in the same words as for every failed connection', async () => {
  const answer = await test(`rtmp://127.0.0.1:${await freePort()}/app/key`)
  expect(answer.json).toEqual({ outcome: 'unreachable', published_ms: 0 })
}, 30_000)

it('runs one test of a project at a time', async () => {
  const url = `rtmp://127.0.0.1:${await freePort()}/app/key`
  const answers = await Promise.all([test(url), test(url)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 429])
}, 30_000)

it('tests no address in a private network', async () => {
  for (const url of ['rtmp://127.0.0.1/app/key', 'rtmp://localhost/app', 'http://203.0.113.9/', '', 5]) {
    expect([url, (await test(url, strict)).status]).toEqual([url, 422])
  }
})
