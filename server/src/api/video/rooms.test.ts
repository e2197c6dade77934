import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const post = (body: unknown) => server.call('rooms', { method: 'POST', body })
const put = (id: string, body: unknown) => server.call(`rooms/${id}`, { method: 'PUT', body })
let count = 0
const freshName = () => `room-${++count}`

const DEFAULTS = {
  description: null,
  max_members: 20,
  quality: '720p',
  fps: 20,
  join_from: null,
  join_until: null,
  remove_at: null,
  remove_after_seconds_elapsed: null,
  layout: 'grid-responsive',
  record_on_start: false,
  tone_on_entry_and_exit: false,
  room_join_video_off: false,
  user_join_video_off: false,
  enable_room_previews: false,
  sync_audio_video: null,
  meta: null,
  prioritize_handraise: false,
  name_labels: false,
  waiting_room: false,
  recording_retention_days: null,
  enable_hls: false,
}

const GIVEN = {
  display_name: 'Rööm 🎥',
  description: 'For\nall',
  max_members: 300,
  quality: '1080p',
  join_from: '2030-01-31T09:30:00Z',
  join_until: '2030-01-31T10:30:00.250Z',
  remove_at: '2030-02-01T00:00:00Z',
  remove_after_seconds_elapsed: 200_000,
  layout: '5up',
  record_on_start: true,
  tone_on_entry_and_exit: true,
  room_join_video_off: true,
  user_join_video_off: true,
  enable_room_previews: true,
  sync_audio_video: true,
  meta: { a: [1, { b: null }], 'ключ"': '\u2028' },
  prioritize_handraise: true,
  enable_hls: true,
}

/** Code and attribute of each error. */
const faults = (answer: { json: { errors: { attribute: string; code: string }[] } }) =>
  Object.fromEntries(answer.json.errors.map((error) => [error.attribute, error.code]))

describe('creating a room', () => {
  it('takes a name alone, with all defaults', async () => {
    const name = freshName()
    const { status, json } = await post({ name })
    expect(status).toBe(200)
    const { id, created_at, updated_at, ...rest } = json
    expect(rest).toEqual({ name, display_name: name, ...DEFAULTS, active_session: null })
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(5000)
    expect(updated_at).toBe(created_at)
    expect((await server.call(`rooms/${id}`)).json).toEqual({
      id,
      created_at,
      updated_at,
      ...rest,
      active_session: undefined,
    })
  })

  it('takes every field, and null for its default', async () => {
    const name = freshName()
    const { status, json } = await post({ name, ...GIVEN })
    expect(status).toBe(200)
    expect(json).toMatchObject({ name, ...GIVEN, fps: 20 })
    const nulls = Object.fromEntries(Object.keys(GIVEN).map((field) => [field, null]))
    const other = freshName()
    expect((await post({ name: other, ...nulls })).json).toMatchObject({
      name: other,
      display_name: other,
      ...DEFAULTS,
    })
  })

  it('ignores fields that it does not know, and those that are not for the caller', async () => {
    const name = freshName()
    const { json } = await post({
      name,
      id: newId(),
      project_id: newId(),
      fps: 30,
      surprise: 1,
      created_at: '2000-01-01',
    })
    expect(json.fps).toBe(20)
    expect(json.surprise).toBeUndefined()
    expect(Date.parse(json.created_at)).toBeGreaterThan(Date.parse('2020-01-01'))
    expect((await server.storage.rooms.find(server.projectId, json.id))?.name).toBe(name)
  })

  it('reads a date alone as its midnight in UTC', async () => {
    const { json } = await post({
      name: freshName(),
      join_from: '2030-01-31',
      join_until: '2030-01-31T01:00:00+01:00',
    })
    expect(json.join_from).toBe('2030-01-31T00:00:00Z')
    expect(json.join_until).toBe('2030-01-31T00:00:00Z')
  })

  it.each([
    ['the longest name', { name: 'n'.repeat(100) }],
    ['the longest display name, in characters', { display_name: '🎥'.repeat(200) }],
    ['the longest description', { description: '🎥'.repeat(3000) }],
    ['the longest meta', { meta: { k: '🎥'.repeat(2000 - 8) } }],
    ['the least members', { max_members: 1 }],
    ['the least time', { remove_after_seconds_elapsed: 1 }],
    ['empty text', { display_name: '', description: '' }],
    ['text that looks like SQL or HTML', { description: `'; drop table rooms; --<script>` }],
  ])('accepts %s', async (_, fields) => {
    const body = { name: freshName(), ...fields }
    const { status, json } = await post(body)
    expect(status).toBe(200)
    expect(json).toMatchObject(body)
  })

  it.each([
    ['no name', {}, 400, { name: 'missing_required_parameter' }],
    ['a name that is no string', { name: 1 }, 422, { name: 'not_a_string' }],
    ['a null name', { name: null }, 422, { name: 'not_a_string' }],
    ['an empty name', { name: '' }, 422, { name: 'invalid_parameter' }],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 422, { name: 'invalid_parameter' }],
    ['a name with a space', { name: 'a b' }, 422, { name: 'invalid_parameter' }],
    ['a name with a line break', { name: 'a\n' }, 422, { name: 'invalid_parameter' }],
    ['a name with an umlaut', { name: 'ä' }, 422, { name: 'invalid_parameter' }],
    [
      'a display name of 201 characters',
      { name: 'a', display_name: 'ä'.repeat(201) },
      422,
      { display_name: 'invalid_parameter' },
    ],
    ['a NUL', { name: 'a', display_name: 'a\u0000' }, 422, { display_name: 'invalid_parameter' }],
    [
      'half of a surrogate pair',
      { name: 'a', description: '\ud83c' },
      422,
      { description: 'invalid_parameter' },
    ],
    [
      'a description of 3001 characters',
      { name: 'a', description: 'x'.repeat(3001) },
      422,
      { description: 'invalid_parameter' },
    ],
    ['0 members', { name: 'a', max_members: 0 }, 422, { max_members: 'invalid_parameter' }],
    ['301 members', { name: 'a', max_members: 301 }, 422, { max_members: 'invalid_parameter' }],
    ['half a member', { name: 'a', max_members: 1.5 }, 422, { max_members: 'invalid_parameter' }],
    ['members as text', { name: 'a', max_members: '5' }, 422, { max_members: 'invalid_parameter' }],
    ['an unknown quality', { name: 'a', quality: '4k' }, 422, { quality: 'invalid_parameter' }],
    ['a quality that is no string', { name: 'a', quality: 720 }, 422, { quality: 'not_a_string' }],
    ['an unknown layout', { name: 'a', layout: 'screen-share' }, 422, { layout: 'invalid_parameter' }],
    ['a date that is none', { name: 'a', join_from: '2030-02-30' }, 422, { join_from: 'not_a_datetime' }],
    ['a date that is a number', { name: 'a', remove_at: 5 }, 422, { remove_at: 'not_a_datetime' }],
    [
      'a window that closes first',
      { name: 'a', join_from: '2030-01-02', join_until: '2030-01-01' },
      422,
      { join_until: 'invalid_join_until_date' },
    ],
    [
      '0 seconds',
      { name: 'a', remove_after_seconds_elapsed: 0 },
      422,
      { remove_after_seconds_elapsed: 'invalid_parameter' },
    ],
    [
      '200,001 seconds',
      { name: 'a', remove_after_seconds_elapsed: 200_001 },
      422,
      { remove_after_seconds_elapsed: 'invalid_parameter' },
    ],
    ['a boolean as text', { name: 'a', record_on_start: 'true' }, 422, { record_on_start: 'not_a_boolean' }],
    ['a boolean as a number', { name: 'a', sync_audio_video: 1 }, 422, { sync_audio_video: 'not_a_boolean' }],
    ['meta that is a list', { name: 'a', meta: [] }, 422, { meta: 'not_a_hash' }],
    ['meta that is text', { name: 'a', meta: '{}' }, 422, { meta: 'not_a_hash' }],
    [
      'meta of 2001 characters',
      { name: 'a', meta: { k: 'x'.repeat(1993) } },
      422,
      { meta: 'invalid_parameter' },
    ],
  ])('refuses %s', async (_, body, status, expected) => {
    const answer = await post(body)
    expect(answer.status).toBe(status)
    expect(faults(answer)).toEqual(expected)
    expect(answer.json.errors.every((error: { type: string }) => error.type === 'validation_error')).toBe(
      true,
    )
  })

  it('tells all fields at fault at once', async () => {
    const answer = await post({
      display_name: 7,
      max_members: 0,
      layout: null,
      join_from: '2030-01-02',
      join_until: '2030-01-01',
      record_on_start: 'no',
      meta: 1,
    })
    expect(answer.status).toBe(400)
    expect(faults(answer)).toEqual({
      name: 'missing_required_parameter',
      display_name: 'not_a_string',
      max_members: 'invalid_parameter',
      join_until: 'invalid_join_until_date',
      record_on_start: 'not_a_boolean',
      meta: 'not_a_hash',
    })
  })

  it('refuses a name that the project has, and tells upper from lower case', async () => {
    const name = freshName()
    await post({ name })
    const answer = await post({ name })
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual({ name: 'not_unique_within_project' })
    expect((await post({ name: name.toUpperCase() })).status).toBe(200)
  })

  it('lets one of many win that race for a name', async () => {
    const name = freshName()
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ name })))
    const statuses = answers.map((answer) => answer.status).sort()
    expect(statuses).toEqual([200, ...Array(9).fill(422)])
  })
})

describe('getting a room', () => {
  it('finds it by id in either case, and by name', async () => {
    const { json: room } = await post({ name: freshName() })
    for (const key of [room.id, room.id.toUpperCase(), room.name]) {
      const { status, json } = await server.call(`rooms/${key}`)
      expect(status).toBe(200)
      expect(json.id).toBe(room.id)
      expect('active_session' in json).toBe(false)
    }
  })

  it('answers 404 for what is not there', async () => {
    const byId = await server.call(`rooms/${newId()}`)
    expect(byId.status).toBe(404)
    expect(byId.json.errors[0]).toMatchObject({
      type: 'not_found_error',
      code: 'provided_id_is_unrecognized',
    })
    for (const name of ['nobody-knows', 'a%20b', '%00', '%E2%82%AC']) {
      const byName = await server.call(`rooms/${name}`)
      expect(byName.status).toBe(404)
      expect(byName.json.errors[0]).toMatchObject({ type: 'not_found_error', code: 'does_not_exist' })
    }
  })

  it('adds the active session when asked to: all twenty fields, or null', async () => {
    const { json: room } = await post({ name: freshName() })
    expect((await server.call(`rooms/${room.id}?include_active_session=true`)).json.active_session).toBeNull()
    expect(
      'active_session' in (await server.call(`rooms/${room.id}?include_active_session=false`)).json,
    ).toBe(false)

    const session = sampleSession({
      project_id: server.projectId,
      room_id: room.id,
      name: room.name,
      display_name: 'Now',
      start_time: Date.now() - 5000,
      sync_audio_video: true,
    })
    await server.storage.sessions.insert(session)
    const expected = {
      id: session.id,
      room_id: room.id,
      name: room.name,
      display_name: 'Now',
      join_from: null,
      join_until: null,
      remove_at: null,
      remove_after_seconds_elapsed: null,
      layout: 'grid-responsive',
      max_members: 20,
      fps: 20,
      quality: '720p',
      start_time: expect.any(String),
      end_time: null,
      duration: expect.any(Number),
      status: 'in-progress',
      record_on_start: false,
      enable_room_previews: false,
      preview_url: null,
      audio_video_sync: true,
    }
    expect(Object.keys(expected)).toHaveLength(20)
    const { json } = await server.call(`rooms/${room.name}?include_active_session=true`)
    expect(json.active_session).toEqual(expected)
    expect(json.active_session.duration).toBeGreaterThanOrEqual(5)
    expect((await put(room.id, {})).json.active_session).toEqual(expected)
    const list = await server.call('rooms?include_active_session=true&page_size=1000')
    const listed = list.json.data.find((one: { id: string }) => one.id === room.id)
    expect(listed.active_session).toEqual(expected)
    expect(list.json.data.every((one: object) => 'active_session' in one)).toBe(true)
    await server.storage.sessions.update(server.projectId, session.id, { status: 'completed' })
    expect((await server.call(`rooms/${room.id}?include_active_session=true`)).json.active_session).toBeNull()
  })

  it.each(['yes', '1', '', 'TRUE'])('refuses include_active_session=%s', async (value) => {
    const answer = await server.call(`rooms?include_active_session=${value}`)
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual({ include_active_session: 'not_a_boolean' })
  })

  it('answers HEAD without a body', async () => {
    const answer = await server.call('rooms', { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
  })
})

describe('listing rooms', () => {
  it('filters by the window', async () => {
    const [early, late] = [freshName(), freshName()]
    await post({ name: early, join_from: '2040-01-01', join_until: '2040-01-02' })
    await post({ name: late, join_from: '2041-01-01', join_until: '2041-01-02' })
    const list = async (query: string) => {
      const { json } = await server.call(`rooms?page_size=1000&${query}`)
      return json.data.map((room: { name: string }) => room.name)
    }
    expect(await list('starts_after=2040-01-01')).toEqual([late, early])
    expect(await list('starts_after=2040-01-01T00:00:00.001Z')).toEqual([late])
    expect(await list('ends_before=2041-01-02&starts_after=2040-01-01')).toEqual([late, early])
    expect(await list('ends_before=2041-01-01T23:59:59Z&starts_after=2040-01-01')).toEqual([early])
    const bad = await server.call('rooms?starts_after=now&ends_before=2040-02-30')
    expect(bad.status).toBe(422)
    expect(faults(bad)).toEqual({ starts_after: 'not_a_datetime', ends_before: 'not_a_datetime' })
  })
})

describe('updating a room', () => {
  it('changes what is sent and keeps the rest', async () => {
    const { json: room } = await post({ name: freshName(), ...GIVEN })
    const { status, json } = await put(room.id, { max_members: 5, meta: { other: true } })
    expect(status).toBe(200)
    expect(json).toEqual({ ...room, max_members: 5, meta: { other: true }, updated_at: json.updated_at })
    expect(Date.parse(json.updated_at)).toBeGreaterThanOrEqual(Date.parse(room.updated_at))
    expect((await put(room.id, {})).json).toEqual({ ...json, updated_at: expect.any(String) })
  })

  it('resets what is null to its default', async () => {
    const { json: room } = await post({ name: freshName(), ...GIVEN })
    const nulls = Object.fromEntries(Object.keys(GIVEN).map((field) => [field, null]))
    const { json } = await put(room.id, nulls)
    expect(json).toMatchObject({ ...DEFAULTS, display_name: room.name })
  })

  it('takes back the whole room as it was answered', async () => {
    const { json: room } = await post({ name: freshName(), ...GIVEN })
    const { status, json } = await put(room.id, room)
    expect(status).toBe(200)
    expect(json).toEqual({ ...room, updated_at: json.updated_at })
  })

  it('does not change the name', async () => {
    const { json: room } = await post({ name: freshName() })
    const answer = await put(room.id, { name: 'another' })
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual({ name: 'invalid_parameter' })
    expect(faults(await put(room.id, { name: 5, max_members: 0 }))).toEqual({
      name: 'not_a_string',
      max_members: 'invalid_parameter',
    })
  })

  it('sees a window that closes first, together with what is stored', async () => {
    const { json: room } = await post({ name: freshName(), join_from: '2030-01-02' })
    const answer = await put(room.id, { join_until: '2030-01-01' })
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual({ join_until: 'invalid_join_until_date' })
    expect((await put(room.id, { join_until: '2030-01-01', join_from: null })).status).toBe(200)
  })

  it('answers 404 for what is not there and 400 for what is no id', async () => {
    expect((await put(newId(), {})).status).toBe(404)
    for (const method of ['PUT', 'DELETE'] as const) {
      const answer = await server.call('rooms/lobby', { method, body: method === 'PUT' ? {} : undefined })
      expect(answer.status).toBe(400)
      expect(answer.json.errors[0]).toMatchObject({
        type: 'invalid_request_error',
        code: 'invalid_parameter',
        attribute: 'id',
      })
    }
  })
})

describe('deleting a room', () => {
  it('answers 204 with nothing, once', async () => {
    const { json: room } = await post({ name: freshName() })
    const answer = await server.call(`rooms/${room.id}`, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect((await server.call(`rooms/${room.id}`)).status).toBe(404)
    expect((await server.call(`rooms/${room.id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await post({ name: room.name })).status).toBe(200)
  })

  it('leaves its sessions readable', async () => {
    const { json: room } = await post({ name: freshName() })
    const session = sampleSession({ project_id: server.projectId, room_id: room.id, status: 'completed' })
    await server.storage.sessions.insert(session)
    await server.call(`rooms/${room.id}`, { method: 'DELETE' })
    expect((await server.call(`room_sessions/${session.id}`)).json.room_id).toBe(room.id)
  })
})
