import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../../rooms/permissions.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
let conferenceId: string
beforeAll(async () => {
  server = await startTestServer()
})
beforeEach(async () => {
  const answer = await server.call('conferences', { method: 'POST', body: { display_name: 'x' } })
  conferenceId = answer.json.id
})
afterAll(() => server.stop())

const listed = async () => (await server.call(`conferences/${conferenceId}/conference_tokens`)).json.data
const reset = (id: string, options = {}) =>
  server.call(`conference_tokens/${id}/reset`, { method: 'POST', ...options })

describe('conference tokens', () => {
  it('come with the conference: one that may do everything, one that has its own media', async () => {
    const tokens = await listed()
    expect(tokens).toEqual([
      {
        id: expect.any(String),
        name: 'moderator',
        token: expect.any(String),
        url: expect.any(String),
        scopes: [...PERMISSIONS],
      },
      {
        id: expect.any(String),
        name: 'guest',
        token: expect.any(String),
        url: expect.any(String),
        scopes: [...DEFAULT_PERMISSIONS],
      },
    ])
    for (const { token } of tokens) expect(token).toMatch(/^vpt_[0-9a-f]{48}$/)
    expect(tokens[0].token).not.toBe(tokens[1].token)
  })

  it('are paged like every list', async () => {
    const tokens = await listed()
    const first = await server.call(`conferences/${conferenceId}/conference_tokens?page_size=1`)
    expect(first.json.data).toEqual([tokens[0]])
    expect((await server.call(first.json.links.next)).json.data).toEqual([tokens[1]])
    const bad = await server.call(`conferences/${conferenceId}/conference_tokens?page_size=0`)
    expect(bad.status).toBe(422)
  })

  it('are shown one by one, by id in either case', async () => {
    for (const token of await listed()) {
      for (const id of [token.id, token.id.toUpperCase()]) {
        const { status, json } = await server.call(`conference_tokens/${id}`)
        expect(status).toBe(200)
        expect(json).toEqual(token)
      }
    }
  })

  it('get a new secret when they are reset, and nothing else', async () => {
    const [moderator, guest] = await listed()
    const { status, json } = await reset(guest.id)
    expect(status).toBe(200)
    expect(json).toEqual({
      ...guest,
      token: expect.stringMatching(/^vpt_[0-9a-f]{48}$/),
      url: expect.any(String),
    })
    expect(json.token).not.toBe(guest.token)
    expect(await listed()).toEqual([moderator, json])
    const [entry] = await server.storage.audit.list({ projectId: server.projectId }, 1)
    expect(entry).toMatchObject({
      action: 'conference_token.reset',
      target: guest.id,
      actor_kind: 'api-token',
    })
    expect(JSON.stringify(entry)).not.toContain(json.token)
  })

  it('are reset whether the request has a body or not', async () => {
    const [{ id }] = await listed()
    const headers = { 'content-type': 'application/json' }
    expect((await reset(id, { headers })).status).toBe(200)
    expect((await reset(id, { rawBody: '' })).status).toBe(200)
    expect((await reset(id, { body: {} })).status).toBe(200)
    expect((await reset(id, { rawBody: '{' })).status).toBe(400)
  })

  it.each(['[]', '"text"', 'null', '1'])('are not reset by %j, which is no object', async (rawBody) => {
    const [moderator] = await listed()
    const answer = await reset(moderator.id, { rawBody })
    expect(answer.status).toBe(400)
    expect(answer.json.errors).toMatchObject([{ code: 'not_a_hash' }])
    expect((await listed())[0]).toEqual(moderator)
  })

  it('answer 404 for what is not there, and 400 for what is no id', async () => {
    const room = (await server.call('rooms', { method: 'POST', body: { name: `room-${newId()}` } })).json
    for (const [path, method] of [
      [`conference_tokens/${newId()}`, 'GET'],
      [`conference_tokens/${conferenceId}`, 'GET'],
      [`conference_tokens/${newId()}/reset`, 'POST'],
      [`conferences/${newId()}/conference_tokens`, 'GET'],
      [`conferences/${room.id}/conference_tokens`, 'GET'],
    ] as const) {
      const answer = await server.call(path, { method })
      expect(answer.status, path).toBe(404)
      expect(answer.json.errors[0].code).toBe('provided_id_is_unrecognized')
    }
    for (const [path, method] of [
      ['conference_tokens/guest', 'GET'],
      ['conference_tokens/guest/reset', 'POST'],
      ['conferences/lobby/conference_tokens', 'GET'],
    ] as const) {
      expect((await server.call(path, { method })).status, path).toBe(400)
    }
  })

  it('need credentials', async () => {
    const [{ id }] = await listed()
    for (const [path, method] of [
      [`conferences/${conferenceId}/conference_tokens`, 'GET'],
      [`conference_tokens/${id}`, 'GET'],
      [`conference_tokens/${id}/reset`, 'POST'],
    ] as const) {
      expect((await server.call(path, { method, credentials: null })).status).toBe(401)
    }
  })

  it('lie nowhere in the database as they are', async () => {
    const [{ token }] = await listed()
    const files = ['parley.db', 'parley.db-wal'].map((name) => readFileSync(join(server.dataDir, name)))
    expect(Buffer.concat(files).includes(conferenceId)).toBe(true)
    expect(Buffer.concat(files).includes(token)).toBe(false)
    expect(Buffer.concat(files).includes(token.slice(4))).toBe(false)
  })
})
