import { copyFileSync, existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newId } from '../../ids.ts'
import type { SessionRecord } from '../../storage/records.ts'
import { makeColourFile } from '../../testing/media/sample-files.ts'
import { ObjectStoreServer } from '../../testing/object-store-server.ts'
import { sampleRecording, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

let store: ObjectStoreServer
let server: TestServer
let folder: string
let content: Buffer
let session: SessionRecord
const id = newId()

const stored = () => vi.waitFor(isStored, { timeout: 20_000, interval: 200 })
async function isStored() {
  expect((await server.storage.recordings.find(server.projectId, id))?.place).toBe('store')
}
const link = async () => (await server.call(`room_recordings/${id}`)).json.uri.slice(server.origin.length)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-stored-'))
  const file = join(folder, 'sample.mp4')
  await makeColourFile(file, { seconds: 1 })
  content = await readFile(file)
  store = await ObjectStoreServer.start()
  server = await startTestServer(store.env)
  session = sampleSession({ project_id: server.projectId, status: 'completed' })
  await server.storage.sessions.insert(session)
  copyFileSync(file, join(server.dataDir, 'recordings', `${id}.mp4`))
  await server.storage.recordings.insert(
    sampleRecording({
      id,
      file: `${id}.mp4`,
      project_id: server.projectId,
      room_session_id: session.id,
      place: 'sending',
    }),
  )
  await stored()
})
afterAll(async () => {
  await server.stop()
  await store.stop()
  await rm(folder, { recursive: true })
})

test('a recording that another node still sends to the store is to be asked for again', async () => {
  const recording = sampleRecording({
    project_id: server.projectId,
    room_session_id: session.id,
    place: 'sending',
    finished_at: Date.now(),
  })
  await server.storage.recordings.insert(recording)
  const { json } = await server.call(`room_recordings/${recording.id}`)
  const answer = await server.call(json.uri.slice(server.origin.length), { credentials: null })
  expect(answer.status).toBe(503)
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
})

test('a stored recording is served like one on the disk', async () => {
  expect(existsSync(join(server.dataDir, 'recordings', `${id}.mp4`))).toBe(false)
  const path = await link()
  const call = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    server.call(path, { headers, method, credentials: null })
  const whole = await call()
  expect(whole.headers).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': String(content.length),
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=0',
  })
  const { etag } = whole.headers as { etag: string }
  const part = await call({ range: 'bytes=4-7', 'if-range': etag })
  expect([part.status, part.text, part.headers['content-range']]).toEqual([
    206,
    'ftyp',
    `bytes 4-7/${content.length}`,
  ])
  expect((await call({ range: 'bytes=4-7', 'if-range': '"other"' })).status).toBe(200)
  expect((await call({ 'if-none-match': etag })).status).toBe(304)
  expect((await call({ range: 'bytes=999999999-' })).status).toBe(416)
  expect(whole.headers['content-disposition']).toMatch(/^inline; filename="recording-.*\.mp4"$/)
  const saved = await server.call(`${path}&download=1`, { credentials: null })
  expect(saved.headers['content-disposition']).toMatch(/^attachment; filename="recording-.*\.mp4"$/)
  const head = await call({}, 'HEAD')
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(content.length)])
})

test('a store that is away makes its links answer 503, and then again as before', async () => {
  const path = await link()
  await store.kill()
  expect((await server.call(path, { credentials: null })).status).toBe(503)
  await store.run()
  expect((await server.call(path, { credentials: null })).status).toBe(200)
})

test('a deleted recording leaves nothing in the store', async () => {
  const path = await link()
  expect((await server.call(`room_recordings/${id}`, { method: 'DELETE' })).status).toBe(204)
  expect((await server.call(path, { credentials: null })).status).toBe(404)
  expect(
    existsSync(join(store.folder, `recordings-of-tests/parley/recordings/${id}.mp4._S3rver_object`)),
  ).toBe(false)
})
