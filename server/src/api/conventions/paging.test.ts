import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { sampleRoom, sampleSession } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
let project_id: string
const names = Array.from({ length: 25 }, (_, index) => `room-${String(index).padStart(2, '0')}`)
const newestFirst = [...names].reverse()

beforeAll(async () => {
  server = await startTestServer()
  project_id = server.projectId
  const start = Date.now() - 1_000_000
  for (const [index, name] of names.entries()) {
    // Some rooms share their time, so that the id determines their order.
    const created_at = start + Math.floor(index / 3) * 1000
    const join_from = index % 2 ? Date.parse('2030-01-01') : null
    await server.storage.rooms.insert(sampleRoom({ project_id, name, created_at, join_from }))
  }
})
afterAll(() => server.stop())

const namesOf = (answer: { json: { data: { name: string }[] } }) => answer.json.data.map((room) => room.name)

async function walk(first: string, direction: 'next' | 'prev') {
  const pages: string[][] = []
  let last = first
  for (let path: string | null = first; path; ) {
    const answer = await server.call(path)
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.json.links).sort()).toEqual(['first', 'next', 'prev', 'self'])
    pages.push(namesOf(answer))
    last = path
    path = answer.json.links[direction]
  }
  return { pages, last }
}

describe('paging', () => {
  it('answers 50 at first, without links beyond the ends', async () => {
    const { json } = await server.call('rooms')
    expect(json.data).toHaveLength(25)
    const self = '/api/video/rooms?page_number=0&page_size=50'
    expect(json.links).toEqual({ self, first: self, next: null, prev: null })
  })

  it.each([
    'page_size=1e2',
    'page_size=0x10',
    'page_size=%205',
    'page_size=5.0',
    'page_size=true',
    'page_number=0.0',
    'include_active_session=1',
    'include_active_session=True',
  ])('takes numbers in decimal and booleans in words: not %s', async (query) => {
    const answer = await server.call(`rooms?${query}`)
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toMatchObject([{ attribute: query.split('=')[0] }])
  })

  it('walks forth and back over the same rows', async () => {
    for (const size of [1, 4, 5, 25]) {
      const forth = await walk(`rooms?page_size=${size}`, 'next')
      expect(forth.pages.flat()).toEqual(newestFirst)
      expect(forth.pages.every((page) => page.length <= size)).toBe(true)
      const back = await walk(forth.last, 'prev')
      expect(back.pages).toEqual([...forth.pages].reverse())
    }
  })

  it('has a self link that leads to the same page, and a first that leads to the first', async () => {
    const second = (await server.call('rooms?page_size=10')).json.links.next
    const answer = await server.call(second)
    expect(second).toMatch(/^\/api\/video\/rooms\?page_number=1&page_size=10&page_token=PA/)
    expect(namesOf(await server.call(answer.json.links.self))).toEqual(namesOf(answer))
    expect(namesOf(await server.call(answer.json.links.first))).toEqual(newestFirst.slice(0, 10))
    expect(answer.json.links.first).not.toContain('page_token')
  })

  it('keeps filter, view and size in the token', async () => {
    const first = await server.call('rooms?page_size=5&starts_after=2030-01-01&include_active_session=true')
    const token = new URL(first.json.links.next, server.origin).searchParams.get('page_token')
    const second = await server.call(`rooms?page_token=${token}`)
    expect(second.json.data).toHaveLength(5)
    for (const room of second.json.data) {
      expect(room.join_from).toBe('2030-01-01T00:00:00Z')
      expect(room.active_session).toBeNull()
    }
    expect(second.json.links.self).toContain('page_number=1&page_size=5')
    const all = [...namesOf(first), ...namesOf(second)]
    expect(all).toEqual(newestFirst.filter((name) => Number(name.slice(-2)) % 2).slice(0, 10))
  })

  it('refuses a token with another filter, for another list, forged or garbled', async () => {
    const { next } = (await server.call('rooms?page_size=5&starts_after=2030-01-01')).json.links
    const token = String(new URL(next, server.origin).searchParams.get('page_token'))
    const refused = [
      `rooms?page_token=${token}&starts_after=2031-01-01`,
      `rooms?page_token=${token}&ends_before=2031-01-01`,
      `room_sessions?page_token=${token}`,
      `rooms?page_token=${token.slice(0, -2)}`,
      `rooms?page_token=${token}&page_token=${token}`,
      'rooms?page_token=',
      'rooms?page_token=PAabc',
      `rooms?page_token=${'PA'.repeat(3000)}`,
    ]
    for (const path of refused) {
      const answer = await server.call(path)
      expect(answer.status, path).toBe(422)
      expect(answer.json.errors, path).toHaveLength(1)
      expect(answer.json.errors[0], path).toMatchObject({
        type: 'validation_error',
        code: 'page_token_is_invalid',
        attribute: 'page_token',
      })
    }
    expect((await server.call(`rooms?page_token=${token}&starts_after=2030-01-01&unknown=1`)).status).toBe(
      200,
    )
  })

  it('wants the token for any page but the first', async () => {
    const answer = await server.call('rooms?page_number=1')
    expect(answer.status).toBe(422)
    expect(answer.json.errors[0]).toMatchObject({ code: 'page_token_required', type: 'validation_error' })
    expect((await server.call('rooms?page_number=0')).status).toBe(200)
  })

  it.each([
    ['page_size=0', 'page_size'],
    ['page_size=1001', 'page_size'],
    ['page_size=-1', 'page_size'],
    ['page_size=1.5', 'page_size'],
    ['page_size=', 'page_size'],
    ['page_size=many', 'page_size'],
    ['page_size=1&page_size=2', 'page_size'],
    ['page_number=-1', 'page_number'],
    ['page_number=x', 'page_number'],
  ])('refuses %s', async (query, attribute) => {
    const answer = await server.call(`rooms?${query}`)
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toEqual([
      expect.objectContaining({ type: 'validation_error', code: 'invalid_parameter', attribute }),
    ])
  })

  it('accepts the bounds', async () => {
    expect((await server.call('rooms?page_size=1')).json.data).toHaveLength(1)
    expect((await server.call('rooms?page_size=1000')).status).toBe(200)
  })

  it('tells everything that is wrong at once', async () => {
    const { json } = await server.call('rooms?page_number=2&page_size=0&starts_after=soon')
    const found = json.errors.map((error: { attribute: string; code: string }) => [
      error.attribute,
      error.code,
    ])
    expect(Object.fromEntries(found)).toEqual({
      page_token: 'page_token_required',
      page_size: 'invalid_parameter',
      starts_after: 'not_a_datetime',
    })
  })

  it('neither repeats nor hides rows that were there, while others come and go', async () => {
    const seen: string[] = []
    let path: string | null = 'rooms?page_size=4'
    for (let page = 0; path; page++) {
      const answer = await server.call(path)
      seen.push(...namesOf(answer))
      // Meanwhile a room is created, and the last room of this page is deleted.
      const fresh = await server.call('rooms', { method: 'POST', body: { name: `fresh-${page}` } })
      const last = answer.json.data.at(-1)
      await server.storage.rooms.delete(project_id, last.id)
      await server.storage.rooms.insert(sampleRoom({ project_id, name: last.name, created_at: 1 + page }))
      expect(fresh.status).toBe(200)
      path = page < 8 ? answer.json.links.next : null
    }
    expect(newestFirst.every((name) => seen.includes(name))).toBe(true)
    expect(seen.filter((name) => name.startsWith('fresh'))).toEqual([])
  })

  it('finds its way back from a page whose rows were all deleted', async () => {
    const owner = newId()
    const status = 'completed'
    const sessions = [3, 2, 1].map((at) =>
      sampleSession({ project_id, room_id: owner, created_at: at, status }),
    )
    for (const session of sessions) await server.storage.sessions.insert(session)
    const first = await server.call(`room_sessions?room_id=${owner}&page_size=2`)
    const second = first.json.links.next
    await server.storage.sessions.update(project_id, sessions[2]?.id as string, { room_id: newId() })
    const empty = await server.call(second)
    expect(empty.json.data).toEqual([])
    expect(empty.json.links.next).toBeNull()
    const back = await server.call(empty.json.links.prev)
    expect(back.json.data).toEqual(first.json.data)
    expect(back.json.links).toMatchObject({ next: null, prev: null })
  })
})
