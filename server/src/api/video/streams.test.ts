import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const LIMIT = 3
/** An unused address (RFC 5737), so that no name has to be resolved. */
const URL = 'rtmp://203.0.113.9/app/key'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ PARLEY_MAX_STREAMS_PER_ROOM: String(LIMIT) })
})
afterAll(() => server.stop())

type Owner = 'rooms' | 'conferences'
const OWNERS: [Owner, number][] = [
  ['rooms', 201],
  ['conferences', 200],
]

async function newOwner(kind: Owner, fields: object = {}): Promise<string> {
  const body = { name: `o-${newId()}`, display_name: 'x', ...fields }
  return (await server.call(kind, { method: 'POST', body })).json.id
}
const post = (kind: Owner, id: string, body: unknown = { url: URL }) =>
  server.call(`${kind}/${id}/streams`, { method: 'POST', body })
const put = (id: string, body: unknown) => server.call(`streams/${id}`, { method: 'PUT', body })

/** Code and attribute of each error. */
const faults = (answer: { json: { errors: { attribute: string; code: string }[] } }) =>
  Object.fromEntries(answer.json.errors.map((error) => [error.attribute, error.code]))

const BAD_BODIES: [string, unknown, Record<string, string>][] = [
  ['no address', {}, { url: 'missing_required_parameter' }],
  ['a null address', { url: null }, { url: 'not_a_string' }],
  ['an address that is a number', { url: 5 }, { url: 'not_a_string' }],
  ['an address that is too long', { url: URL.padEnd(2049, 'x') }, { url: 'invalid_parameter' }],
  ['an empty address', { url: '' }, { url: 'url_failed_to_parse' }],
  ['another protocol', { url: 'https://203.0.113.9/app' }, { url: 'url_failed_to_parse' }],
  ['an address without a host', { url: 'rtmp:///app' }, { url: 'url_failed_to_parse' }],
  ['a NUL', { url: `${URL}\u0000` }, { url: 'url_failed_to_parse' }],
  ['a private address', { url: 'rtmp://10.0.0.1/app' }, { url: 'url_is_unsafe' }],
  ['a private address in disguise', { url: 'rtmp://0x7f.1/app' }, { url: 'url_is_unsafe' }],
  ['a name that leads home', { url: 'rtmp://localhost/app' }, { url: 'url_is_unsafe' }],
]

describe.each(OWNERS)('streams of %s', (kind, created) => {
  it('are created, shown and listed, newest first', async () => {
    const id = await newOwner(kind)
    const before = await server.call(`${kind}/${id}/streams`)
    const path = `/api/video/${kind}/${id}/streams`
    const first = `${path}?page_number=0&page_size=50`
    const links = { self: first, first, next: null, prev: null }
    expect(before.status).toBe(200)
    expect(before.json).toEqual({ links, data: [] })
    const answer = await post(kind, id)
    expect(answer.status).toBe(created)
    const stream = answer.json
    expect(stream).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      url: URL,
      stream_type: 'rtmp',
      width: 1280,
      height: 720,
      fps: 20,
      created_at: expect.any(String),
      updated_at: stream.created_at,
      status: 'waiting',
      live_since: null,
      retrying_since: null,
      last_error: null,
    })
    expect(Math.abs(Date.parse(stream.created_at) - Date.now())).toBeLessThan(5000)
    expect((await server.call(`streams/${stream.id.toUpperCase()}`)).json).toEqual(stream)
    const second = (await post(kind, id, { url: 'rtmps://203.0.113.9:443/app?a=b' })).json
    expect((await server.call(`${kind}/${id}/streams`)).json).toEqual({ links, data: [second, stream] })
  })

  it('are paged where a smaller page is asked for', async () => {
    const id = await newOwner(kind)
    const [older, newer] = [(await post(kind, id)).json, (await post(kind, id)).json]
    const one = (await server.call(`${kind}/${id}/streams?page_size=1`)).json
    expect([one.data, one.links.prev]).toEqual([[newer], null])
    const two = (await server.call(one.links.next)).json
    expect([two.data, two.links.next]).toEqual([[older], null])
    expect((await server.call(two.links.prev)).json.data).toEqual([newer])
    for (const query of ['page_size=0', 'page_size=1001', 'page_number=1', 'page_token=x']) {
      expect((await server.call(`${kind}/${id}/streams?${query}`)).status, query).toBe(422)
    }
  })

  it('carry the picture of what they belong to', async () => {
    const id = await newOwner(kind, { quality: '1080p' })
    expect((await post(kind, id)).json).toMatchObject({ width: 1920, height: 1080 })
  })

  it.each(BAD_BODIES)('refuse %s', async (_, body, expected) => {
    const id = await newOwner(kind)
    const answer = await post(kind, id, body)
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual(expected)
    expect((await server.call(`${kind}/${id}/streams`)).json.data).toEqual([])
  })

  it('take the longest address', async () => {
    const url = URL.padEnd(2048, 'x')
    expect((await post(kind, await newOwner(kind), { url })).json.url).toBe(url)
  })

  it('are no more than the limit, also when many come at once', async () => {
    const id = await newOwner(kind)
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(kind, id)))
    const statuses = answers.map((answer) => answer.status).sort()
    expect(statuses).toEqual([...Array(LIMIT).fill(created), ...Array(10 - LIMIT).fill(422)])
    const refused = answers.find((answer) => answer.status === 422)!
    expect(refused.json.errors[0]).toMatchObject({
      type: 'validation_error',
      code: 'exceeds_platform_stream_limit',
    })
    const [{ id: streamId }] = (await server.call(`${kind}/${id}/streams`)).json.data
    await server.call(`streams/${streamId}`, { method: 'DELETE' })
    expect((await post(kind, id)).status).toBe(created)
    expect((await post(kind, id)).status).toBe(422)
  })

  it('answer 404 where there is nothing, or something else', async () => {
    const other = await newOwner(kind === 'rooms' ? 'conferences' : 'rooms')
    for (const id of [newId(), other, 'lobby', '%00', 'a%20b']) {
      for (const answer of [await server.call(`${kind}/${id}/streams`), await post(kind, id)]) {
        expect(answer.status, id).toBe(404)
        expect(faults(answer)).toEqual({ id: 'provided_id_is_unrecognized' })
      }
    }
  })

  it('go with what they belong to', async () => {
    const id = await newOwner(kind)
    const stream = (await post(kind, id)).json
    await server.call(`${kind}/${id}`, { method: 'DELETE' })
    expect((await server.call(`streams/${stream.id}`)).status).toBe(404)
    expect((await server.call(`${kind}/${id}/streams`)).status).toBe(404)
  })

  it('refuse what is no JSON, and callers without credentials', async () => {
    const path = `${kind}/${await newOwner(kind)}/streams`
    expect((await server.call(path, { method: 'POST', rawBody: '{"url"' })).status).toBe(400)
    for (const method of ['GET', 'POST'] as const) {
      expect((await server.call(path, { method, credentials: null })).status).toBe(401)
    }
  })
})

describe('a stream', () => {
  it('is sent elsewhere by an update', async () => {
    const stream = (await post('rooms', await newOwner('rooms'))).json
    const url = 'rtmps://203.0.113.10/other'
    const { status, json } = await put(stream.id, { url, width: 5 })
    expect(status).toBe(200)
    expect(json).toEqual({ ...stream, url, updated_at: json.updated_at })
    expect((await server.call(`streams/${stream.id}`)).json).toEqual(json)
  })

  it.each(BAD_BODIES)('is not updated with %s', async (_, body, expected) => {
    const stream = (await post('rooms', await newOwner('rooms'))).json
    const answer = await put(stream.id, body)
    expect(answer.status).toBe(422)
    expect(faults(answer)).toEqual(expected)
    expect((await server.call(`streams/${stream.id}`)).json).toEqual(stream)
  })

  it('is deleted once', async () => {
    const stream = (await post('rooms', await newOwner('rooms'))).json
    const answer = await server.call(`streams/${stream.id}`, { method: 'DELETE' })
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect((await server.call(`streams/${stream.id}`)).status).toBe(404)
    expect((await server.call(`streams/${stream.id}`, { method: 'DELETE' })).status).toBe(404)
  })

  it('that is not there is 404, whatever its id looks like', async () => {
    for (const id of [newId(), 'first', '%00']) {
      const answers = [
        await server.call(`streams/${id}`),
        await put(id, { url: URL }),
        await server.call(`streams/${id}`, { method: 'DELETE' }),
      ]
      for (const answer of answers) {
        expect(answer.status).toBe(404)
        expect(faults(answer)).toEqual({ id: 'provided_id_is_unrecognized' })
      }
    }
  })

  it('needs credentials', async () => {
    const stream = (await post('rooms', await newOwner('rooms'))).json
    for (const method of ['GET', 'PUT', 'DELETE'] as const) {
      expect((await server.call(`streams/${stream.id}`, { method, credentials: null })).status).toBe(401)
    }
  })

  it('keeps its key to itself: the database has it sealed', async () => {
    const key = `key-${newId()}`
    await post('rooms', await newOwner('rooms'), { url: `rtmp://203.0.113.9/app/${key}` })
    const files = ['parley.db', 'parley.db-wal'].map((name) => readFileSync(join(server.dataDir, name)))
    expect(Buffer.concat(files).includes(key)).toBe(false)
  })
})

it('leads into private networks where the operator lets it', async () => {
  const open = await startTestServer({ PARLEY_ALLOW_PRIVATE_TARGETS: '1', PARLEY_MAX_STREAMS_PER_ROOM: '0' })
  try {
    const room = (await open.call('rooms', { method: 'POST', body: { name: 'open' } })).json
    const add = (url: string) => open.call(`rooms/${room.id}/streams`, { method: 'POST', body: { url } })
    // The address is valid. The error is about the limit of streams.
    expect(faults(await add('rtmp://127.0.0.1/app'))).toEqual({ null: 'exceeds_platform_stream_limit' })
    expect(faults(await add('nonsense'))).toEqual({ url: 'url_failed_to_parse' })
  } finally {
    await open.stop()
  }
})
