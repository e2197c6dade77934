import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import type { SessionRecord } from '../../storage/records.ts'
import { sampleMember, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const START = Date.parse('2026-01-31T10:00:00Z')
const MINUTE = 60_000

let server: TestServer
let project_id: string
let session: SessionRecord

beforeAll(async () => {
  server = await startTestServer({
    PARLEY_PRICE_MEMBER_MINUTE_720P: '0.004',
    PARLEY_PRICE_MEMBER_MINUTE_1080P: '0.01',
  })
  project_id = server.projectId
  session = sampleSession({
    project_id,
    name: 'stand-up',
    room_id: newId(),
    status: 'completed',
    created_at: START,
    updated_at: START + 10 * MINUTE,
    start_time: START,
    end_time: START + 10 * MINUTE,
    tone_on_entry_and_exit: true,
  })
  await server.storage.sessions.insert(session)
})
afterAll(() => server.stop())

const list = async (query: string) => (await server.call(`room_sessions?${query}`)).json.data

describe('room sessions', () => {
  it('show 30 fields on their own', async () => {
    const { status, json } = await server.call(`room_sessions/${session.id}`)
    expect(status).toBe(200)
    expect(json).toEqual({
      id: session.id,
      room_id: session.room_id,
      name: 'stand-up',
      display_name: null,
      max_members: 20,
      quality: '720p',
      fps: 20,
      join_from: null,
      join_until: null,
      remove_at: null,
      remove_after_seconds_elapsed: null,
      layout: 'grid-responsive',
      record_on_start: false,
      tone_on_entry_and_exit: true,
      room_join_video_off: false,
      user_join_video_off: false,
      locked: false,
      start_time: '2026-01-31T10:00:00Z',
      end_time: '2026-01-31T10:10:00Z',
      duration: 600,
      status: 'completed',
      created_at: '2026-01-31T10:00:00Z',
      updated_at: '2026-01-31T10:10:00Z',
      preview_url: null,
      prioritize_handraise: false,
      sync_audio_video: null,
      name_labels: false,
      waiting_room: false,
      enable_hls: false,
      hls_url: null,
    })
  })

  it('show three fields more in a list', async () => {
    const [listed] = await list('room_name=stand-up')
    const alone = (await server.call(`room_sessions/${session.id}`)).json
    expect(listed).toEqual({ ...alone, cost_in_dollars: 0, enable_room_previews: false, locked_cover: null })
  })

  it('count up to now while they run, and do not count before they started', async () => {
    const running = sampleSession({ project_id, name: 'running', start_time: Date.now() - 90_000 })
    const waiting = sampleSession({ project_id, name: 'waiting', start_time: null })
    for (const one of [running, waiting]) await server.storage.sessions.insert(one)
    const { json } = await server.call(`room_sessions/${running.id}`)
    expect(json).toMatchObject({ status: 'in-progress', end_time: null })
    expect(json.duration).toBeGreaterThanOrEqual(90)
    expect((await server.call(`room_sessions/${waiting.id}`)).json.duration).toBeNull()
  })

  it('are filtered by room, name, part of the name and status', async () => {
    await server.storage.sessions.insert(
      sampleSession({ project_id, name: 'Stand-Up_2', status: 'completed', room_id: session.room_id }),
    )
    const names = async (query: string) => (await list(query)).map((one: { name: string }) => one.name)
    expect(await names(`room_id=${session.room_id?.toUpperCase()}`)).toEqual(['Stand-Up_2', 'stand-up'])
    expect(await names('room_name=stand-up')).toEqual(['stand-up'])
    expect(await names('room_name=stand')).toEqual([])
    expect(await names('room_name_matches=tand')).toEqual(['Stand-Up_2', 'stand-up'])
    expect(await names('room_name_matches=up')).toEqual(['stand-up'])
    expect(await names('room_name_matches=_')).toEqual(['Stand-Up_2'])
    expect(await names('status=completed')).toEqual(['Stand-Up_2', 'stand-up'])
    expect(await names('status=in-progress')).toEqual(['waiting', 'running'])
    expect(await names(`status=completed&room_name=stand-up&room_id=${session.room_id}`)).toEqual([
      'stand-up',
    ])
    expect(await names(`room_id=${newId()}`)).toEqual([])
  })

  it('refuse filters that make no sense', async () => {
    const answer = await server.call('room_sessions?room_id=lobby&status=over')
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toHaveLength(2)
  })

  it('cost what their members cost', async () => {
    const costly = sampleSession({ project_id, name: 'costly', status: 'completed', quality: '1080p' })
    await server.storage.sessions.insert(costly)
    const base = { project_id, room_session_id: costly.id }
    const main = sampleMember({ ...base, join_time: START, leave_time: START + 10 * MINUTE })
    await server.storage.members.insert(main)
    await server.storage.members.insert(
      sampleMember({
        ...base,
        type: 'screen',
        parent_id: main.id,
        join_time: START + 1,
        leave_time: START + MINUTE,
      }),
    )
    await server.storage.members.insert(
      sampleMember({ ...base, type: 'audience', join_time: START + 2, leave_time: START + 2 + 5 * MINUTE }),
    )
    const [listed] = await list('room_name=costly')
    expect(listed.cost_in_dollars).toBe(0.15)
    const { data } = (await server.call(`room_sessions/${costly.id}/members`)).json
    expect(data.map((one: { cost_in_dollars: number }) => one.cost_in_dollars)).toEqual([0.1, 0, 0.05])
  })
})

describe('members of a session', () => {
  it('are listed oldest first, with seven fields', async () => {
    const base = { project_id, room_session_id: session.id }
    const first = sampleMember({ ...base, name: 'Ada', join_time: START, leave_time: START + MINUTE })
    const second = sampleMember({ ...base, name: 'Bob', join_time: START + MINUTE })
    await server.storage.members.insert(second)
    await server.storage.members.insert(first)
    const page = await server.call(`room_sessions/${session.id}/members?page_size=1`)
    expect(page.json.data).toEqual([
      {
        id: first.id,
        room_session_id: session.id,
        name: 'Ada',
        join_time: '2026-01-31T10:00:00Z',
        leave_time: '2026-01-31T10:01:00Z',
        duration: 60,
        cost_in_dollars: 0.004,
      },
    ])
    const next = (await server.call(page.json.links.next)).json
    expect(next.data[0]).toMatchObject({ name: 'Bob', leave_time: null, duration: expect.any(Number) })
    expect(next.links.next).toBeNull()
    expect((await server.call(next.links.prev)).json.data).toEqual(page.json.data)
  })
})

describe('events of a session', () => {
  it('are listed oldest first, with ten fields that are always there', async () => {
    const base = { project_id, room_id: null, room_recording_id: null, room_participant_id: null }
    const events = (['room.started', 'member.joined', 'room.ended'] as const).map((name) => ({
      ...base,
      id: newId(),
      room_session_id: session.id,
      level: 'info' as const,
      name,
      payload: { deep: [{ a: null }] },
      created_at: START,
    }))
    for (const event of events) await server.storage.events.append(event)
    const { status, json } = await server.call(`room_sessions/${session.id}/events`)
    expect(status).toBe(200)
    expect(json.data).toEqual(events.map((event) => ({ ...event, created_at: '2026-01-31T10:00:00Z' })))
    expect(Object.keys(json.data[0])).toHaveLength(10)
  })
})

it('answers 404 for a session that is not there and 400 for what is no id', async () => {
  for (const rest of ['', '/members', '/events', '/recordings']) {
    const missing = await server.call(`room_sessions/${newId()}${rest}`)
    expect(missing.status).toBe(404)
    expect(missing.json.errors[0].code).toBe('provided_id_is_unrecognized')
    const bad = await server.call(`room_sessions/stand-up${rest}`)
    expect(bad.status).toBe(400)
    expect(bad.json.errors[0]).toMatchObject({ code: 'invalid_parameter', attribute: 'id' })
  }
})

describe('previews', () => {
  const previewed = (fields: Partial<SessionRecord> = {}) => {
    const start = Date.now() - MINUTE
    return sampleSession({
      project_id,
      room_id: newId(),
      name: newId(),
      status: 'in-progress',
      start_time: start,
      end_time: null,
      enable_room_previews: true,
      ...fields,
    })
  }
  const follow = (url: string) => server.call(url, { credentials: null })

  it('are linked to while a session that has them is in progress, and no longer', async () => {
    const running = previewed()
    await server.storage.sessions.insert(running)
    const { preview_url } = (await server.call(`room_sessions/${running.id}`)).json
    expect(preview_url).toMatch(
      new RegExp(`^${server.origin}/media/${project_id}/previews/${running.id}.mp4\\?signature=`),
    )
    const [listed] = await list(`room_name=${running.name}`)
    expect(listed.preview_url).toBe(preview_url)

    const early = await follow(preview_url)
    expect([early.status, early.json.errors[0].code]).toEqual([404, 'file_not_found'])
    writeFileSync(join(server.dataDir, 'previews', `${running.id}.mp4`), 'a clip')
    const clip = await follow(preview_url)
    expect(clip.status).toBe(200)
    expect(clip.headers['content-type']).toBe('video/mp4')
    expect(clip.headers['cache-control']).toBe('private, no-cache')
    expect(clip.text).toBe('a clip')
    expect((await follow(preview_url.replace('signature=', 'signature=x'))).status).toBe(403)
    expect((await follow(preview_url.split('?')[0])).status).toBe(403)

    await server.storage.sessions.update(project_id, running.id, {
      status: 'completed',
      end_time: Date.now(),
    })
    expect((await server.call(`room_sessions/${running.id}`)).json.preview_url).toBeNull()
    expect((await follow(preview_url)).status).toBe(404)
  })

  it('are not linked to where the room has none', async () => {
    const running = previewed({ enable_room_previews: false })
    await server.storage.sessions.insert(running)
    expect((await server.call(`room_sessions/${running.id}`)).json.preview_url).toBeNull()
  })
})
