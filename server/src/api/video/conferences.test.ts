import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const post = (body: unknown) => server.call('conferences', { method: 'POST', body })
const put = (id: string, body: unknown) => server.call(`conferences/${id}`, { method: 'PUT', body })
let count = 0
const freshName = () => `conference-${++count}`
const create = async (body: object = {}) =>
  (await post({ display_name: 'Stand-up', name: freshName(), ...body })).json

/** Code and attribute of each error. */
const faults = (answer: { json: { errors: { attribute: string; code: string }[] } }) =>
  Object.fromEntries(answer.json.errors.map((error) => [error.attribute, error.code]))

const COLORS = {
  dark_primary: '#044EF4',
  dark_background: '#FFFFFF',
  dark_foreground: '#1D2127',
  dark_success: '#17BB58',
  dark_negative: '#F42C50',
  light_primary: '#044EF4',
  light_background: '#FFFFFF',
  light_foreground: '#1D2127',
  light_success: '#17BB58',
  light_negative: '#F42C50',
}

const DEFAULTS = {
  name_labels: false,
  waiting_room: false,
  public_look: false,
  remove_at: null,
  recording_retention_days: null,
  description: null,
  join_from: null,
  join_until: null,
  quality: '720p',
  layout: 'grid-responsive',
  size: 'medium',
  record_on_start: false,
  tone_on_entry_and_exit: false,
  user_join_video_off: false,
  room_join_video_off: false,
  enable_chat: true,
  enable_room_previews: false,
  enable_hls: false,
  ...COLORS,
  meta: null,
}

const GIVEN = {
  description: 'For\nall',
  join_from: '2030-01-31T09:30:00Z',
  join_until: '2030-01-31T10:30:00.250Z',
  quality: '1080p',
  layout: '5up',
  size: 'large',
  record_on_start: true,
  tone_on_entry_and_exit: true,
  user_join_video_off: true,
  room_join_video_off: true,
  enable_chat: false,
  enable_room_previews: true,
  enable_hls: true,
  ...Object.fromEntries(Object.keys(COLORS).map((role, index) => [role, `#aBc${index}9F`])),
  meta: { a: [1, { b: null }], 'ключ"': '\u2028' },
}

describe('creating a conference', () => {
  it('takes a title alone, with all defaults and a name made of it', async () => {
    const { status, json } = await post({ display_name: 'Häkel-Runde  🧶 №1' })
    expect(status).toBe(200)
    const { id, name, created_at, updated_at, ...rest } = json
    expect(rest).toEqual({ display_name: 'Häkel-Runde  🧶 №1', ...DEFAULTS })
    expect(Object.keys(json)).toHaveLength(34)
    expect(name).toMatch(/^hakel-runde-no1-[0-9a-f]{10}$/)
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(5000)
    expect(updated_at).toBe(created_at)
    expect((await server.call(`conferences/${id}`)).json).toEqual(json)
  })

  it.each(['🧶', '', '-_-', 'x'.repeat(200)])('finds a name for the title %j', async (display_name) => {
    const { status, json } = await post({ display_name })
    expect(status).toBe(200)
    expect(json.name).toMatch(/^[A-Za-z0-9_-]{1,100}$/)
    expect((await post({ display_name, name: null })).json.name).not.toBe(json.name)
  })

  it('takes every field, and null for its default', async () => {
    const name = freshName()
    const { status, json } = await post({ name, display_name: 'All', ...GIVEN })
    expect(status).toBe(200)
    expect(json).toMatchObject({ name, display_name: 'All', ...GIVEN })
    const nulls = Object.fromEntries(Object.keys(GIVEN).map((field) => [field, null]))
    expect((await post({ display_name: 'None', ...nulls })).json).toMatchObject(DEFAULTS)
  })

  it('ignores fields that it does not know, and those that are not for the caller', async () => {
    const json = await create({ id: newId(), max_members: 5, fps: 30, project_id: newId(), surprise: 1 })
    expect(json.surprise).toBeUndefined()
    const stored = await server.storage.rooms.find(server.projectId, json.id)
    expect(stored).toMatchObject({ max_members: 50, fps: 20 })
    expect(stored?.conference).not.toHaveProperty('surprise')
  })

  it.each([
    ['small', 10],
    ['medium', 50],
    ['large', 300],
  ])('of size %s takes %i members', async (size, max_members) => {
    const { id } = await create({ size })
    expect((await server.storage.rooms.find(server.projectId, id))?.max_members).toBe(max_members)
  })

  it.each([
    ['the longest name', () => ({ name: `${freshName()}-`.padEnd(100, 'n') })],
    ['the longest title, in characters', () => ({ display_name: '🎥'.repeat(200) })],
    ['the longest description', () => ({ description: '🎥'.repeat(3000) })],
    ['the longest meta', () => ({ meta: { k: '🎥'.repeat(2000 - 8) } })],
    ['colours at their edges', () => ({ dark_primary: '#000000', light_negative: '#ffffff' })],
    [
      'a window of no length',
      () => ({ join_from: '2030-01-01T00:00:00Z', join_until: '2030-01-01T00:00:00Z' }),
    ],
    ['text that looks like SQL or HTML', () => ({ description: `'; drop table rooms; --<script>` })],
  ])('accepts %s', async (_, fields) => {
    const body = { display_name: 'x', ...fields() }
    const { status, json } = await post(body)
    expect(status).toBe(200)
    expect(json).toMatchObject(body)
  })

  it.each([
    ['no title', { display_name: undefined }, 400, { display_name: 'missing_required_parameter' }],
    ['a null title', { display_name: null }, 422, { display_name: 'not_a_string' }],
    ['a title that is a number', { display_name: 1 }, 422, { display_name: 'not_a_string' }],
    [
      'a title of 201 characters',
      { display_name: 'ä'.repeat(201) },
      422,
      { display_name: 'invalid_parameter' },
    ],
    ['a NUL', { display_name: 'a\u0000' }, 422, { display_name: 'invalid_parameter' }],
    ['a name of 101 characters', { name: 'n'.repeat(101) }, 422, { name: 'invalid_parameter' }],
    ['an empty name', { name: '' }, 422, { name: 'invalid_parameter' }],
    ['a name with a space', { name: 'a b' }, 422, { name: 'invalid_parameter' }],
    ['a name that is a number', { name: 1 }, 422, { name: 'not_a_string' }],
    ['a long description', { description: 'x'.repeat(3001) }, 422, { description: 'invalid_parameter' }],
    ['an unknown size', { size: 'huge' }, 422, { size: 'invalid_parameter' }],
    ['a size that is a number', { size: 10 }, 422, { size: 'not_a_string' }],
    ['an unknown quality', { quality: '4k' }, 422, { quality: 'invalid_parameter' }],
    ['an unknown layout', { layout: 'full-screen' }, 422, { layout: 'invalid_parameter' }],
    ['a date that is none', { join_from: '2030-02-30' }, 422, { join_from: 'not_a_datetime' }],
    ['a timestamp as a date', { join_from: 1896082200 }, 422, { join_from: 'not_a_datetime' }],
    [
      'a window that closes first',
      { join_from: '2030-01-02', join_until: '2030-01-01' },
      422,
      { join_until: 'invalid_join_until_date' },
    ],
    ['a boolean as text', { enable_chat: 'true' }, 422, { enable_chat: 'not_a_boolean' }],
    ['a colour without its mark', { dark_primary: '044EF4' }, 422, { dark_primary: 'invalid_parameter' }],
    ['a short colour', { dark_success: '#FFF' }, 422, { dark_success: 'invalid_parameter' }],
    ['a colour with alpha', { light_success: '#FFFFFFFF' }, 422, { light_success: 'invalid_parameter' }],
    ['a colour that is none', { light_primary: '#GGGGGG' }, 422, { light_primary: 'invalid_parameter' }],
    [
      'a colour with a line break',
      { light_primary: '#FFFFFF\n' },
      422,
      { light_primary: 'invalid_parameter' },
    ],
    ['a colour by name', { light_background: 'white' }, 422, { light_background: 'invalid_parameter' }],
    ['a colour that is a number', { dark_negative: 0 }, 422, { dark_negative: 'not_a_string' }],
    ['meta that is a list', { meta: [] }, 422, { meta: 'not_a_hash' }],
    ['meta of 2001 characters', { meta: { k: 'x'.repeat(1993) } }, 422, { meta: 'invalid_parameter' }],
  ])('refuses %s', async (_, fields, status, expected) => {
    const answer = await post({ display_name: 'x', ...fields })
    expect(answer.status).toBe(status)
    expect(faults(answer)).toEqual(expected)
  })

  it('says what a colour looks like', async () => {
    const { json } = await post({ display_name: 'x', dark_primary: 'red' })
    expect(json.errors[0].message).toMatch(/#044EF4/)
  })

  it('refuses a name that a conference or a room has', async () => {
    const { name } = await create()
    const room = (await server.call('rooms', { method: 'POST', body: { name: freshName() } })).json
    for (const taken of [name, room.name]) {
      const answer = await post({ display_name: 'x', name: taken })
      expect(answer.status).toBe(422)
      expect(faults(answer)).toEqual({ name: 'not_unique_within_project' })
    }
    const answer = await server.call('rooms', { method: 'POST', body: { name } })
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual({ name: 'not_unique_within_project' })
    expect((await post({ display_name: 'x', name: name.toUpperCase() })).status).toBe(200)
  })

  it('lets one of many win that race for a name, rooms and conferences', async () => {
    const name = freshName()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        server.call(index % 2 ? 'rooms' : 'conferences', {
          method: 'POST',
          body: { name, display_name: 'x' },
        }),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(422)])
  })
})

describe('getting a conference', () => {
  it('finds it by id in either case', async () => {
    const conference = await create()
    for (const id of [conference.id, conference.id.toUpperCase()]) {
      expect((await server.call(`conferences/${id}`)).json).toEqual(conference)
    }
  })

  it('answers 404 for what is not there, and 400 for what is no id', async () => {
    const room = (await server.call('rooms', { method: 'POST', body: { name: freshName() } })).json
    for (const id of [newId(), room.id]) {
      const answer = await server.call(`conferences/${id}`)
      expect(answer.status).toBe(404)
      expect(faults(answer)).toEqual({ id: 'provided_id_is_unrecognized' })
    }
    const bad = await server.call(`conferences/${freshName()}`)
    expect(bad.status).toBe(400)
    expect(faults(bad)).toEqual({ id: 'invalid_parameter' })
  })

  it('is not done by the operations of rooms', async () => {
    const { id, name } = await create()
    for (const key of [id, name]) expect((await server.call(`rooms/${key}`)).status).toBe(404)
    const update = { method: 'PUT', body: { max_members: 1 } } as const
    expect((await server.call(`rooms/${id}`, update)).status).toBe(404)
    expect((await server.call(`rooms/${id}`, { method: 'DELETE' })).status).toBe(404)
    const { data } = (await server.call('rooms?page_size=1000')).json
    expect(data.map((room: { id: string }) => room.id)).not.toContain(id)
    expect((await server.call(`conferences/${id}`)).status).toBe(200)
  })

  it('adds the active session when asked to: all twenty fields, or null', async () => {
    const conference = await create({ display_name: 'Now' })
    const path = `conferences/${conference.id}?include_active_session=true`
    expect((await server.call(path)).json).toEqual({ ...conference, active_session: null })
    const session = sampleSession({
      project_id: server.projectId,
      room_id: conference.id,
      name: conference.name,
      max_members: 50,
    })
    await server.storage.sessions.insert(session)
    const { active_session } = (await server.call(path)).json
    expect(active_session).toMatchObject({ id: session.id, room_id: conference.id, max_members: 50 })
    expect(Object.keys(active_session)).toHaveLength(20)
    const list = (await server.call('conferences?include_active_session=true&page_size=1000')).json.data
    expect(list.every((one: object) => 'active_session' in one)).toBe(true)
    const listed = list.find((one: { id: string }) => one.id === conference.id)
    expect(Object.keys(listed)).toHaveLength(35)
    expect(listed.active_session.id).toBe(session.id)
    for (const answer of [
      await server.call(`conferences/${conference.id}`),
      await put(conference.id, conference),
    ]) {
      expect('active_session' in answer.json).toBe(false)
    }
    await server.storage.sessions.update(server.projectId, session.id, { status: 'completed' })
  })

  it.each(['yes', '1', ''])('refuses include_active_session=%s', async (value) => {
    const answer = await server.call(`conferences?include_active_session=${value}`)
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual({ include_active_session: 'not_a_boolean' })
  })
})

describe('listing conferences', () => {
  it('filters by the window: dates, dates with a time, and Unix timestamps', async () => {
    const early = await create({ join_from: '2040-01-01', join_until: '2040-01-02' })
    const late = await create({ join_from: '2041-01-01', join_until: '2041-01-02' })
    const list = async (query: string) => {
      const { json } = await server.call(`conferences?page_size=1000&${query}`)
      return json.data.map((conference: { name: string }) => conference.name)
    }
    const start = Date.parse('2040-01-01T00:00:00Z') / 1000
    const end = Date.parse('2041-01-02T00:00:00Z') / 1000
    for (const from of ['2040-01-01', '2040-01-01T00:00:00Z', String(start)]) {
      expect(await list(`starts_after=${from}`)).toEqual([late.name, early.name])
    }
    expect(await list(`starts_after=${start + 1}`)).toEqual([late.name])
    expect(await list(`starts_after=${start}&ends_before=${end}`)).toEqual([late.name, early.name])
    expect(await list(`starts_after=${start}&ends_before=${end - 1}`)).toEqual([early.name])
    expect(await list('starts_after=-1&ends_before=2040-06-01')).toContain(early.name)
  })

  it.each(['now', '2040-02-30', '', '1.5', '1e3', '9999999999999', '999999999999', '0x10', ' 5'])(
    'refuses starts_after=%j',
    async (value) => {
      const answer = await server.call(`conferences?starts_after=${encodeURIComponent(value)}`)
      expect(answer.status).toBe(422)
      expect(faults(answer)).toEqual({ starts_after: 'not_a_datetime' })
    },
  )

  it('does not read timestamps where rooms are listed', async () => {
    expect((await server.call('rooms?starts_after=1896082200')).status).toBe(422)
  })

  it('pages, newest first', async () => {
    const made = []
    for (let index = 0; index < 3; index++) made.unshift((await create({ join_from: '2050-01-01' })).id)
    const ids = (page: { json: { data: { id: string }[] } }) => page.json.data.map(({ id }) => id)
    const first = await server.call('conferences?starts_after=2050-01-01&page_size=2')
    expect(ids(first)).toEqual(made.slice(0, 2))
    const second = await server.call(first.json.links.next)
    expect(ids(second)).toEqual(made.slice(2))
    expect(second.json.links.next).toBeNull()
    expect(ids(await server.call(second.json.links.prev))).toEqual(made.slice(0, 2))
    expect((await server.call('conferences?page_number=1')).status).toBe(422)
  })
})

describe('updating a conference', () => {
  it('changes what is sent and keeps the rest', async () => {
    const conference = await create(GIVEN)
    const changes = { display_name: 'Other', size: 'small', dark_primary: '#010203', enable_chat: true }
    const { status, json } = await put(conference.id, changes)
    expect(status).toBe(200)
    expect(json).toEqual({ ...conference, ...changes, updated_at: json.updated_at })
    expect((await server.storage.rooms.find(server.projectId, conference.id))?.max_members).toBe(10)
    expect((await server.call(`conferences/${conference.id}`)).json).toEqual(json)
  })

  it('resets what is null to its default', async () => {
    const conference = await create(GIVEN)
    const nulls = Object.fromEntries(Object.keys(GIVEN).map((field) => [field, null]))
    const { json } = await put(conference.id, { display_name: 'x', ...nulls })
    expect(json).toMatchObject({ ...DEFAULTS, display_name: 'x', name: conference.name })
  })

  it('takes back the whole conference as it was answered, and no other name', async () => {
    const conference = await create(GIVEN)
    const { status, json } = await put(conference.id, conference)
    expect(status).toBe(200)
    expect(json).toEqual({ ...conference, updated_at: json.updated_at })
    const answer = await put(conference.id, { ...conference, name: freshName() })
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual({ name: 'invalid_parameter' })
  })

  it('needs a title, and a window that makes sense with what is there', async () => {
    const { id } = await create({ join_from: '2030-01-02' })
    const untitled = await put(id, { size: 'small' })
    expect(untitled.status).toBe(400)
    expect(faults(untitled)).toEqual({ display_name: 'missing_required_parameter' })
    const shut = await put(id, { display_name: 'x', join_until: '2030-01-01' })
    expect(shut.status).toBe(422)
    expect(faults(shut)).toEqual({ join_until: 'invalid_join_until_date' })
  })

  it('answers 404 for what is not there, and 400 for what is no id', async () => {
    expect((await put(newId(), { display_name: 'x' })).status).toBe(404)
    expect((await put('lobby', { display_name: 'x' })).status).toBe(400)
  })
})

describe('deleting a conference', () => {
  it('takes its tokens and streams along and frees its name', async () => {
    const { id, name } = await create()
    const tokens = (await server.call(`conferences/${id}/conference_tokens`)).json.data
    const answer = await server.call(`conferences/${id}`, { method: 'DELETE' })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect((await server.call(`conferences/${id}`)).status).toBe(404)
    expect((await server.call(`conferences/${id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await server.call(`conferences/${id}/conference_tokens`)).status).toBe(404)
    for (const token of tokens) expect((await server.call(`conference_tokens/${token.id}`)).status).toBe(404)
    expect((await post({ display_name: 'x', name })).status).toBe(200)
    expect((await server.call('conferences/lobby', { method: 'DELETE' })).status).toBe(400)
  })
})
