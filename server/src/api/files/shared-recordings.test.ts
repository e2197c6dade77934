import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { sampleRecording } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'
import { addUser, enter, FROM_PAGE } from '../../testing/signed-in-user.ts'

const MEDIA = Buffer.alloc(1000, 7)
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

async function addRecording(fields: { project_id?: string; status?: 'recording' } = {}) {
  const project_id = fields.project_id ?? server.projectId
  const recording = sampleRecording({ ...fields, project_id, room_session_id: newId(), size_in_bytes: 1000 })
  mkdirSync(join(server.dataDir, 'recordings'), { recursive: true })
  writeFileSync(join(server.dataDir, 'recordings', recording.file), MEDIA)
  await server.storage.recordings.insert(recording)
  return recording
}
const share = (id: string, expires_in_seconds = 3600) =>
  server.call(`room_recordings/${id}/shares`, { method: 'POST', body: { expires_in_seconds } })
const follow = (uri: string, headers = {}) => server.call(uri, { credentials: null, headers })

it('plays without credentials, whole and in ranges', async () => {
  const { id } = await addRecording()
  const { status, json } = await share(id)
  expect(status).toBe(201)
  expect(Date.parse(json.expires_at) - Date.parse(json.created_at)).toBe(3_600_000)
  const whole = await follow(json.uri)
  expect(whole.status).toBe(200)
  expect(whole.headers).toMatchObject({ 'content-type': 'video/mp4', 'cache-control': 'private, no-cache' })
  const part = await follow(json.uri, { range: 'bytes=100-199' })
  expect(part.status).toBe(206)
  expect(part.headers['content-range']).toBe('bytes 100-199/1000')
})

it('is stored as a hash alone, and listed without its secret', async () => {
  const { id } = await addRecording()
  const { uri, ...shown } = (await share(id)).json
  expect((await server.call(`room_recordings/${id}/shares`)).json.data).toEqual([shown])
  const [stored] = await server.storage.recordingShares.list(server.projectId, id)
  expect(uri).not.toContain(stored?.hash)
})

it('ends when it is revoked, when it expires, and with its recording', async () => {
  const { id } = await addRecording()
  const [first, second, third] = [await share(id), await share(id), await share(id, 60)]
  const path = `room_recordings/${id}/shares/${first.json.id}`
  expect((await server.call(path, { method: 'DELETE' })).status).toBe(204)
  expect((await server.call(path, { method: 'DELETE' })).status).toBe(404)
  expect((await follow(first.json.uri)).status).toBe(403)
  expect((await follow(second.json.uri)).status).toBe(200)

  const stored = (await server.storage.recordingShares.list(server.projectId, id)).at(-1)
  await server.storage.recordingShares.delete(server.projectId, id, third.json.id)
  await server.storage.recordingShares.insert({ ...stored!, expires_at: Date.now() - 1 })
  expect((await follow(third.json.uri)).json.errors[0].code).toBe('token_expired')

  await server.call(`room_recordings/${id}`, { method: 'DELETE' })
  expect((await follow(second.json.uri)).status).toBe(403)
  expect(await server.storage.recordingShares.list(server.projectId, id)).toEqual([])
})

it('cannot be had for a recording of another project, one that runs, or for too long', async () => {
  const project_id = newId()
  await server.storage.projects.insert({ id: project_id, name: 'Other', created_at: 1 })
  const foreign = await addRecording({ project_id })
  expect((await share(foreign.id)).status).toBe(404)
  expect((await server.call(`room_recordings/${foreign.id}/shares`)).status).toBe(404)
  expect((await share((await addRecording({ status: 'recording' })).id)).status).toBe(422)
  const { id } = await addRecording()
  for (const seconds of [0, -1, 59, 1e9, 1.5]) expect((await share(id, seconds)).status).toBe(422)
  const own = (await share(id)).json
  const path = `room_recordings/${foreign.id}/shares/${own.id}`
  expect((await server.call(path, { method: 'DELETE' })).status).toBe(404)
})

it('is not for viewers to give', async () => {
  const { id } = await addRecording()
  await addUser(server.storage, server.projectId, 'viewer', 'viewer')
  const cookie = String((await enter(server, 'viewer')).headers['set-cookie']).split(';')[0] ?? ''
  const headers = { cookie, ...FROM_PAGE }
  const asViewer = { credentials: null, headers }
  const csrf = (await server.call('/api/dashboard/me', asViewer)).json.csrf_token
  const sent = { ...asViewer, headers: { ...headers, 'x-csrf-token': csrf } }
  const body = { expires_in_seconds: 3600 }
  const path = `room_recordings/${id}/shares`
  expect((await server.call(path, { ...sent, method: 'POST', body })).status).toBe(403)
  expect(
    (await server.call('recording_retention', { ...sent, method: 'PUT', body: { days: 1 } })).status,
  ).toBe(403)
  expect((await server.call(path, asViewer)).status).toBe(200)
})

it('refuses forged links and tricks with paths, and slows down who guesses', async () => {
  const tricks = [
    '..%2fparley.db',
    '%2e%2e/parley.db',
    `${'0'.repeat(48)}`,
    'x',
    '%00',
    `${'f'.repeat(5000)}`,
  ]
  for (const trick of tricks) {
    expect([400, 403, 404, 414, 429]).toContain(
      (await follow(`/media/shared/recording.mp4?key=${trick}`)).status,
    )
  }
  const statuses = new Set<number>()
  for (let guess = 0; guess < 200; guess++) {
    statuses.add((await follow(`/media/shared/recording.mp4?key=${String(guess).padStart(48, '0')}`)).status)
  }
  expect([...statuses]).toEqual([403, 429])
})
