import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import type { RecordingRecord, SessionRecord, StreamRunRecord } from '../../storage/records.ts'
import {
  sampleApiToken,
  sampleMember,
  sampleRecording,
  sampleSession,
  sampleStreamRun,
} from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const START = Date.parse('2026-01-31T10:00:00Z')
const MINUTE = 60_000

let server: TestServer
let session: SessionRecord
let recording: RecordingRecord
let run: StreamRunRecord
let adHoc: StreamRunRecord

beforeAll(async () => {
  server = await startTestServer({
    PARLEY_PRICE_MEMBER_MINUTE_720P: '0.004',
    PARLEY_PRICE_RECORDED_MINUTE: '0.01',
    PARLEY_PRICE_STREAMED_MINUTE: '0.02',
  })
  const { storage, projectId: project_id } = server
  session = sampleSession({
    project_id,
    name: 'stand-up',
    status: 'completed',
    locked: true,
    start_time: START,
    end_time: START + 10 * MINUTE,
    created_at: START,
  })
  await storage.sessions.insert(session)
  const base = { project_id, room_session_id: session.id }
  await storage.members.insert(sampleMember({ ...base, join_time: START, leave_time: START + 10 * MINUTE }))
  recording = sampleRecording({
    ...base,
    started_at: START + MINUTE,
    finished_at: START + 4 * MINUTE,
    duration_ms: 2 * MINUTE,
    created_at: START + MINUTE,
  })
  await storage.recordings.insert(recording)
  const room = (await server.call('rooms', { method: 'POST', body: { name: 'stand-up' } })).json
  const body = { url: 'rtmp://203.0.113.9/app' }
  const stream = (await server.call(`rooms/${room.id}/streams`, { method: 'POST', body })).json
  run = sampleStreamRun({
    ...base,
    stream_id: stream.id,
    status: 'completed',
    started_at: START + 2 * MINUTE,
    ended_at: START + 5 * MINUTE,
    created_at: START + 2 * MINUTE,
  })
  adHoc = sampleStreamRun({ ...base, started_at: null, created_at: START + 3 * MINUTE })
  for (const one of [run, adHoc]) await storage.streamRuns.insert(one)
})
afterAll(() => server.stop())

const shared = { source: 'realtime_api', room_name: 'stand-up', locked: true }
const expected = () => [
  {
    ...shared,
    id: adHoc.id,
    type: 'video_stream',
    url: null,
    status: 'streaming',
    started_at: null,
    ended_at: null,
    charge: 0,
    created_at: '2026-01-31T10:03:00Z',
    charge_details: [{ description: 'Stream, 0.0 minutes', charge: 0 }],
  },
  {
    ...shared,
    id: run.id,
    type: 'video_stream',
    url: `${server.origin}/api/video/streams/${run.stream_id}`,
    status: 'completed',
    started_at: '2026-01-31T10:02:00Z',
    ended_at: '2026-01-31T10:05:00Z',
    charge: 0.06,
    created_at: '2026-01-31T10:02:00Z',
    charge_details: [{ description: 'Stream, 3.0 minutes', charge: 0.06 }],
  },
  {
    ...shared,
    id: recording.id,
    type: 'video_room_recording',
    url: `${server.origin}/api/video/room_recordings/${recording.id}`,
    status: 'completed',
    started_at: '2026-01-31T10:01:00Z',
    ended_at: '2026-01-31T10:04:00Z',
    charge: 0.02,
    created_at: '2026-01-31T10:01:00Z',
    charge_details: [{ description: 'Recording, 2.0 minutes', charge: 0.02 }],
  },
  {
    ...shared,
    id: session.id,
    type: 'video_room_session',
    url: `${server.origin}/api/video/room_sessions/${session.id}`,
    status: 'completed',
    started_at: '2026-01-31T10:00:00Z',
    ended_at: '2026-01-31T10:10:00Z',
    charge: 0.04,
    created_at: '2026-01-31T10:00:00Z',
    charge_details: [{ description: 'Members, 10.0 minutes at 720p', charge: 0.04 }],
  },
]

describe('video logs', () => {
  it('list sessions, recordings and runs of streams, newest first', async () => {
    const { status, json } = await server.call('logs')
    expect(status).toBe(200)
    expect(json.data).toEqual(expected())
    expect(json.links).toMatchObject({ next: null, prev: null })
  })

  it('show each on its own, by id in either case', async () => {
    for (const entry of expected()) {
      for (const id of [entry.id, entry.id.toUpperCase()]) {
        expect((await server.call(`logs/${id}`)).json).toEqual(entry)
      }
    }
  })

  it('lead to what they are about', async () => {
    const [, ofStream, ofRecording, ofSession] = expected()
    expect((await server.call(ofStream!.url!)).json.id).toBe(run.stream_id)
    expect((await server.call(ofRecording!.url!)).json.id).toBe(recording.id)
    expect((await server.call(ofSession!.url!)).json.id).toBe(session.id)
  })

  it('are paged forth and back', async () => {
    const first = await server.call('logs?page_size=3')
    expect(first.json.data).toEqual(expected().slice(0, 3))
    const second = await server.call(first.json.links.next)
    expect(second.json.data).toEqual(expected().slice(3))
    expect(second.json.links.next).toBeNull()
    const back = await server.call(second.json.links.prev)
    expect(back.json.data).toEqual(first.json.data)
    expect(back.json.links.prev).toBeNull()
  })

  it.each(['page_size=0', 'page_size=1001', 'page_number=1', 'page_token=PAnonsense'])(
    'refuse %s',
    async (query) => {
      expect((await server.call(`logs?${query}`)).status).toBe(422)
    },
  )

  it('answer 404 for what is not there, 400 for what is no id, 401 to nobody', async () => {
    expect((await server.call(`logs/${newId()}`)).status).toBe(404)
    expect((await server.call('logs/latest')).status).toBe(400)
    for (const path of ['logs', `logs/${session.id}`]) {
      expect((await server.call(path, { credentials: null })).status).toBe(401)
    }
  })

  it('have nothing for another project', async () => {
    const stranger = { user: newId(), password: 'token-of-a-stranger' }
    await server.storage.projects.insert({ id: stranger.user, name: 'stranger', created_at: 1 })
    const hash = hashApiToken(stranger.password)
    await server.storage.apiTokens.insert(sampleApiToken({ project_id: stranger.user, hash }))
    expect((await server.call('logs', { credentials: stranger })).json.data).toEqual([])
    for (const { id } of expected()) {
      expect((await server.call(`logs/${id}`, { credentials: stranger })).status).toBe(404)
    }
  })

  it('lead nowhere once the stream is deleted, and are there still', async () => {
    expect((await server.call(`streams/${run.stream_id}`, { method: 'DELETE' })).status).toBe(204)
    const [adHocEntry, entry, ...others] = expected()
    const left = { ...entry, url: null }
    expect((await server.call(`logs/${run.id}`)).json).toEqual(left)
    expect((await server.call('logs')).json.data).toEqual([adHocEntry, left, ...others])
  })

  it('tell sessions of conferences from those of rooms', async () => {
    const { json: conference } = await server.call('conferences', {
      method: 'POST',
      body: { name: 'board', display_name: 'Board' },
    })
    const { projectId: project_id, storage } = server
    const own = { project_id, room_id: conference.id, name: 'board', created_at: 1 } as const
    const ofConference = sampleSession({ ...own, status: 'completed' })
    await storage.sessions.insert(ofConference)
    expect((await server.call(`logs/${ofConference.id}`)).json.type).toBe('video_conference_session')
    const { data } = (await server.call('logs')).json
    expect(data.at(-1)).toMatchObject({ id: ofConference.id, type: 'video_conference_session' })
    expect(data.at(-2)).toMatchObject({ id: session.id, type: 'video_room_session' })
  })
})
