import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { createMediaLinks } from '../../rooms/media-links.ts'
import { loadServerSecrets } from '../../secrets/server-secrets.ts'
import type { RecordingRecord, SessionRecord } from '../../storage/records.ts'
import { sampleRecording, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const START = Date.parse('2026-01-31T10:00:00Z')
const MEDIA = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))

let server: TestServer
let project_id: string
let session: SessionRecord

beforeAll(async () => {
  server = await startTestServer({ PARLEY_PRICE_RECORDED_MINUTE: '0.01' })
  project_id = server.projectId
  session = sampleSession({ project_id, name: 'recorded', status: 'completed' })
  await server.storage.sessions.insert(session)
})
afterAll(() => server.stop())

const fileOf = (recording: RecordingRecord) => join(server.dataDir, 'recordings', recording.file)

async function addRecording(fields: Partial<RecordingRecord> = {}): Promise<RecordingRecord> {
  const recording = sampleRecording({
    project_id,
    room_session_id: session.id,
    started_at: START,
    finished_at: START + 90_000,
    duration_ms: 89_600,
    size_in_bytes: MEDIA.length,
    created_at: START,
    updated_at: START + 90_000,
    ...fields,
  })
  writeFileSync(fileOf(recording), MEDIA)
  await server.storage.recordings.insert(recording)
  return recording
}

const follow = (uri: string, options = {}) => server.call(uri, { credentials: null, ...options })

describe('room recordings', () => {
  it('show twelve fields, alone and in both lists', async () => {
    const recording = await addRecording()
    const { status, json } = await server.call(`room_recordings/${recording.id}`)
    expect(status).toBe(200)
    expect(json).toEqual({
      id: recording.id,
      room_session_id: session.id,
      status: 'completed',
      started_at: '2026-01-31T10:00:00Z',
      finished_at: '2026-01-31T10:01:30Z',
      duration: 90,
      size_in_bytes: 1000,
      format: 'video/mp4',
      cost_in_dollars: 0.014933,
      uri: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/media\//),
      created_at: '2026-01-31T10:00:00Z',
      updated_at: '2026-01-31T10:01:30Z',
    })
    for (const path of ['room_recordings', `room_sessions/${session.id}/recordings`]) {
      const { data } = (await server.call(path)).json
      expect(data).toEqual([{ ...json, uri: expect.any(String) }])
      expect((await follow(data[0].uri)).status).toBe(200)
    }
  })

  it('have no link while they are not completed, and count up to now', async () => {
    for (const status of ['recording', 'paused', 'processing'] as const) {
      const running = {
        status,
        started_at: Date.now() - 5000,
        finished_at: null,
        duration_ms: null,
        size_in_bytes: null,
      }
      const recording = await addRecording(running)
      const { json } = await server.call(`room_recordings/${recording.id}`)
      expect(json).toMatchObject({ status, uri: null, finished_at: null, size_in_bytes: null })
      expect(json.duration).toBeGreaterThanOrEqual(5)
      await server.storage.recordings.update(project_id, recording.id, { status: 'completed' })
    }
  })

  it('say sizes beyond 32 bits as they are', async () => {
    const recording = await addRecording({ size_in_bytes: 2 ** 33 + 1 })
    expect((await server.call(`room_recordings/${recording.id}`)).json.size_in_bytes).toBe(2 ** 33 + 1)
  })

  it('have a history', async () => {
    const recording = await addRecording()
    const event = {
      id: newId(),
      project_id,
      room_id: null,
      room_session_id: session.id,
      room_recording_id: recording.id,
      room_participant_id: null,
      level: 'info' as const,
      name: 'recording.started' as const,
      payload: {},
      created_at: START,
    }
    await server.storage.events.append(event)
    const { json } = await server.call(`room_recordings/${recording.id}/events`)
    expect(json.data).toEqual([{ ...event, created_at: '2026-01-31T10:00:00Z' }])
  })

  it('answer 404 for what is not there and 400 for what is no id', async () => {
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
    ] as const) {
      expect((await server.call(`room_recordings/${newId()}${rest}`, { method })).status).toBe(404)
      expect((await server.call(`room_recordings/first${rest}`, { method })).status).toBe(400)
    }
  })
})

describe('media links', () => {
  const linkOf = async (recording: RecordingRecord, ttl = '') =>
    (await server.call(`room_recordings/${recording.id}${ttl}`)).json.uri as string

  it('give the whole file, with type and name', async () => {
    const uri = await linkOf(await addRecording())
    const answer = await follow(uri)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('video/mp4')
    expect(answer.headers['content-length']).toBe('1000')
    expect(answer.headers['accept-ranges']).toBe('bytes')
    expect(answer.headers['content-disposition']).toBe('inline; filename="recording-2026-01-31T10-00-00.mp4"')
    const head = await follow(uri, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    expect(head.headers['content-length']).toBe('1000')
  })

  it('give ranges of the file', async () => {
    const uri = await linkOf(await addRecording())
    const range = async (value: string) => follow(uri, { headers: { range: value } })
    const middle = await range('bytes=100-199')
    expect(middle.status).toBe(206)
    expect(middle.headers['content-range']).toBe('bytes 100-199/1000')
    expect(middle.headers['content-length']).toBe('100')
    expect((await range('bytes=990-')).headers['content-range']).toBe('bytes 990-999/1000')
    expect((await range('bytes=-10')).headers['content-range']).toBe('bytes 990-999/1000')
    const beyond = await range('bytes=1000-')
    expect(beyond.status).toBe(416)
    expect(beyond.headers['content-range']).toBe('bytes */1000')
  })

  it('go on where a download broke off, if the file is still the same', async () => {
    const uri = await linkOf(await addRecording())
    const etag = String((await follow(uri)).headers.etag)
    expect(etag).toMatch(/^"[^"]+"$/)
    const rest = (ifRange: string) =>
      follow(uri, { headers: { range: 'bytes=100-199', 'if-range': ifRange } })
    expect((await rest(etag)).status).toBe(206)
    expect((await rest(etag)).headers.etag).toBe(etag)
    const other = await rest('"of-another-file"')
    expect(other.status).toBe(200)
    expect(other.headers['content-length']).toBe('1000')
    // A weak validator must not be used there (RFC 9110, section 13.1.5).
    expect((await rest(`W/${etag}`)).status).toBe(200)
    expect((await follow(uri, { headers: { 'if-none-match': etag } })).status).toBe(304)
    expect((await follow(uri, { headers: { 'if-match': etag } })).status).toBe(200)
    expect((await follow(uri, { headers: { 'if-match': '"of-another-file"' } })).status).toBe(412)
  })

  it('can be played by pages of every origin, in ranges too', async () => {
    const uri = await linkOf(await addRecording())
    const part = await follow(uri, { headers: { range: 'bytes=0-9', origin: 'https://example.org' } })
    expect(part.status).toBe(206)
    expect(part.headers['access-control-allow-origin']).toBe('*')
    expect(part.headers['access-control-expose-headers']).toMatch(/accept-ranges.*content-range.*etag/)
    const preview = `${server.origin}/media/${server.projectId}/previews/${newId()}.mp4?signature=x`
    for (const link of [uri, preview]) {
      const preflight = await follow(link, { method: 'OPTIONS' })
      expect(preflight.status).toBe(204)
      expect(preflight.headers['access-control-allow-origin']).toBe('*')
      expect(preflight.headers['access-control-allow-methods']).toContain('GET')
      expect(preflight.headers['access-control-allow-headers']).toMatch(/range.*if-range/)
    }
    // A page can read why a link does not work.
    expect((await follow(preview)).headers['access-control-allow-origin']).toBe('*')
  })

  it('live as long as was asked for', async () => {
    const recording = await addRecording()
    for (const path of [
      `room_recordings/${recording.id}`,
      'room_recordings',
      `room_sessions/${session.id}/recordings`,
    ]) {
      const { json } = await server.call(`${path}?media_ttl=0`)
      const uri = json.uri ?? json.data[0].uri
      const expired = await follow(uri)
      expect(expired.status).toBe(403)
      expect(expired.json.errors[0].code).toBe('token_expired')
    }
    const expires = (uri: string) => Number(new URL(uri).searchParams.get('expires'))
    expect(Math.abs(expires(await linkOf(recording)) - Date.now() - 900_000)).toBeLessThan(5000)
    expect(Math.abs(expires(await linkOf(recording, '?media_ttl=60')) - Date.now() - 60_000)).toBeLessThan(
      5000,
    )
    expect((await follow(await linkOf(recording, '?media_ttl=99999999999999999999'))).status).toBe(200)
  })

  it.each(['-1', '1.5', 'x', ''])('refuse media_ttl=%s', async (ttl) => {
    const answer = await server.call(`room_recordings?media_ttl=${ttl}`)
    expect(answer.status).toBe(422)
    expect(answer.json.errors[0].attribute).toBe('media_ttl')
  })

  it('cannot be forged', async () => {
    const [one, other] = [await addRecording(), await addRecording()]
    const uri = await linkOf(one)
    const forged = [
      uri.replace(one.id, other.id),
      uri.replace(project_id, newId()),
      uri.replace(/expires=(\d+)/, (_, expires) => `expires=${Number(expires) + 1}`),
      uri.replace(/signature=.*/, 'signature='),
      uri.replace(/&signature=.*/, ''),
      uri.replace(/\?.*/, ''),
      uri.replace(`${one.id}.mp4`, '..%2F..%2Fparley.db'),
    ]
    for (const link of forged) {
      const answer = await follow(link)
      expect(answer.status, link).toBe(403)
      expect(answer.json.errors[0].code).toBe('token_invalid')
    }
  })

  it('lead nowhere without a file or a record', async () => {
    const links = createMediaLinks(loadServerSecrets(server).mediaLinkKey, {
      now: () => Date.now(),
      monotonicMs: () => performance.now(),
      after: () => ({ cancel: () => {} }),
    })
    const answer = await follow(server.origin + links.link(project_id, newId(), 60))
    expect(answer.status).toBe(404)
    expect(answer.json.errors[0].code).toBe('file_not_found')
  })
})

describe('deleting a recording', () => {
  it('deletes its media too, and its link stops working', async () => {
    const recording = await addRecording()
    const { uri } = (await server.call(`room_recordings/${recording.id}`)).json
    const answer = await server.call(`room_recordings/${recording.id}`, { method: 'DELETE' })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(existsSync(fileOf(recording))).toBe(false)
    expect((await follow(uri)).status).toBe(404)
    expect((await server.call(`room_recordings/${recording.id}`)).status).toBe(404)
    expect((await server.call(`room_recordings/${recording.id}/events`)).status).toBe(404)
    expect((await server.call(`room_recordings/${recording.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  it('is refused while it is being made', async () => {
    for (const status of ['recording', 'paused'] as const) {
      const recording = await addRecording({ status, finished_at: null, duration_ms: null })
      const answer = await server.call(`room_recordings/${recording.id}`, { method: 'DELETE' })
      expect(answer.status).toBe(422)
      expect(answer.json.errors).toMatchObject([{ type: 'validation_error', code: 'invalid_state' }])
      expect(existsSync(fileOf(recording))).toBe(true)
    }
    const finishing = await addRecording({ status: 'processing' })
    expect((await server.call(`room_recordings/${finishing.id}`, { method: 'DELETE' })).status).toBe(204)
  })

  it('works where the file is gone already', async () => {
    const recording = await addRecording({ file: 'gone.mp4' })
    expect((await server.call(`room_recordings/${recording.id}`, { method: 'DELETE' })).status).toBe(204)
  })
})
