import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import {
  sampleApiToken,
  sampleMember,
  sampleRecording,
  sampleSession,
  sampleStreamRun,
} from '../../testing/sample-records.ts'
import { basic, startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const MINUTE = 60_000
let server: TestServer
beforeAll(async () => {
  server = await startTestServer({
    PARLEY_PRICE_MEMBER_MINUTE_720P: '0.01',
    PARLEY_PRICE_RECORDED_MINUTE: '0.02',
  })
})
afterAll(() => server.stop())

const get = (path: string) => server.call(`/api/dashboard/${path}`)
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

describe('the overview', () => {
  it('counts what runs', async () => {
    const { status, json } = await get('now')
    expect(status).toBe(200)
    expect(json).toEqual({ rooms: 0, members: 0, audience: 0, recordings: 0, streams: 0 })
  })

  it('sums the use of the project by hour, and not that of others', async () => {
    const now = Date.now()
    const of = { project_id: server.projectId, room_session_id: newId() }
    const session = sampleSession({
      project_id: server.projectId,
      id: of.room_session_id,
      status: 'completed',
    })
    await server.storage.sessions.insert(session)
    const owner = sampleMember({ ...of, join_time: now - 100 * MINUTE, leave_time: now - 10 * MINUTE })
    await server.storage.members.insert(owner)
    const screen = { type: 'screen', parent_id: owner.id } as const
    await server.storage.members.insert(
      sampleMember({ ...of, ...screen, join_time: now - 50 * MINUTE, leave_time: now }),
    )
    const longAgo = { join_time: now - 50 * 60 * MINUTE, leave_time: now - 49 * 60 * MINUTE }
    await server.storage.members.insert(sampleMember({ ...of, ...longAgo }))
    const ended = { started_at: now - 60 * MINUTE, finished_at: now - 20 * MINUTE }
    await server.storage.recordings.insert(
      sampleRecording({ ...of, ...ended, duration_ms: 30 * MINUTE, size_in_bytes: 5000 }),
    )
    await server.storage.streamRuns.insert(
      sampleStreamRun({
        ...of,
        status: 'completed',
        started_at: now - 30 * MINUTE,
        ended_at: now - 20 * MINUTE,
      }),
    )
    const { status, json } = await get('usage')
    expect(status).toBe(200)
    expect(json.member_minutes).toHaveLength(24)
    expect(sum(json.member_minutes)).toBeCloseTo(90, 1)
    expect(sum(json.recorded_minutes)).toBeCloseTo(30, 1)
    expect(sum(json.streamed_minutes)).toBeCloseTo(10, 1)
    expect(sum(json.cost_in_dollars)).toBeCloseTo(0.9 + 0.6, 2)
    const month = (await get('usage?period=month')).json
    expect(month.member_minutes).toHaveLength(720)
    expect(sum(month.member_minutes)).toBeCloseTo(150, 1)
    expect((await get('usage?period=year')).status).toBe(422)
  })

  it('shows nothing of another project', async () => {
    const secret = 'of-another-project'
    const project_id = newId()
    await server.storage.projects.insert({ id: project_id, name: 'Other', created_at: Date.now() })
    await server.storage.apiTokens.insert(sampleApiToken({ project_id, hash: hashApiToken(secret) }))
    const headers = { authorization: basic(project_id, secret) }
    const other = async (path: string) =>
      (await server.call(`/api/dashboard/${path}`, { credentials: null, headers })).json
    expect(sum((await other('usage?period=month')).member_minutes)).toBe(0)
    expect(await other('storage')).toMatchObject({ recordings: 0, recordings_bytes: 0 })
    expect((await other('problems')).data).toEqual([])
  })

  it('tells the space that recordings take', async () => {
    const { json } = await get('storage')
    expect(json).toMatchObject({ recordings: 1, recordings_bytes: 5000 })
    expect(json.free_bytes).toBeGreaterThan(0)
    expect(json.total_bytes).toBeGreaterThan(json.free_bytes)
  })

  it('lists problems, newest first, with the room', async () => {
    const session = sampleSession({ project_id: server.projectId, name: 'board', status: 'completed' })
    await server.storage.sessions.insert(session)
    const event = {
      project_id: server.projectId,
      room_id: null,
      room_session_id: session.id,
      room_recording_id: null,
      room_participant_id: null,
      payload: {},
    }
    const levels = ['info', 'warning', 'error'] as const
    for (const [index, level] of levels.entries()) {
      const name = 'stream.interrupted' as const
      await server.storage.events.append({ ...event, id: newId(), level, name, created_at: index })
    }
    const first = await get('problems?page_size=1')
    expect(first.json.data).toMatchObject([{ level: 'error', room_name: 'board' }])
    const second = await server.call(first.json.links.next)
    expect(second.json.data).toMatchObject([{ level: 'warning', name: 'stream.interrupted' }])
    expect(second.json.links.next).toBeNull()
  })
})

describe('the server as a whole', () => {
  it('lists its media workers', async () => {
    const { status, json } = await get('workers')
    expect(status).toBe(200)
    expect(json.data).toMatchObject([
      { state: 'ready', rooms: 0, legs: 0, cpu: expect.any(Number), overload_step: 'none' },
    ])
    expect(json.data[0].last_port).toBe(json.data[0].first_port + 3)
  })

  it('is examined in a process of its own, once for all who ask', async () => {
    const [{ status, json }, second] = await Promise.all([get('checkup'), get('checkup')])
    expect(status).toBe(200)
    expect(second.json).toEqual(json)
    expect(json.data).toContainEqual(expect.objectContaining({ status: 'ok', subject: 'Database' }))
    const fresh = await server.call('/api/dashboard/checkup', { method: 'POST' })
    expect(fresh.status).toBe(200)
    expect(Date.parse(fresh.json.examined_at)).toBeGreaterThan(Date.parse(json.examined_at))
  })

  it('is not shown to a token of a project without the scope of management', async () => {
    const secret = 'only-video'
    await server.storage.apiTokens.insert(
      sampleApiToken({ project_id: server.projectId, hash: hashApiToken(secret), scopes: ['video'] }),
    )
    const headers = { authorization: basic(server.projectId, secret) }
    const ask = async (path: string) =>
      (await server.call(`/api/dashboard/${path}`, { credentials: null, headers })).status
    expect(await ask('now')).toBe(200)
    expect(await ask('workers')).toBe(403)
    expect(await ask('checkup')).toBe(403)
    expect((await server.call('/api/dashboard/now', { credentials: null })).status).toBe(401)
  })
})
