import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { sampleApiToken } from '../../testing/sample-records.ts'
import { startTestServer, type TestRequest, type TestServer } from '../../testing/server-for-tests.ts'

const STRANGER = { user: newId(), password: 'token-of-a-stranger' }

let server: TestServer
let ids: Record<'conference' | 'token' | 'room' | 'stream', string>
let name: string

beforeAll(async () => {
  server = await startTestServer()
  await server.storage.projects.insert({ id: STRANGER.user, name: 'stranger', created_at: 1 })
  await server.storage.apiTokens.insert(
    sampleApiToken({ project_id: STRANGER.user, hash: hashApiToken(STRANGER.password) }),
  )
  const make = async (path: string, body: object) => (await server.call(path, { method: 'POST', body })).json
  const conference = await make('conferences', { display_name: 'x' })
  const room = await make('rooms', { name: 'mine' })
  const stream = await make(`rooms/${room.id}/streams`, { url: 'rtmp://203.0.113.9/app' })
  const tokens = (await server.call(`conferences/${conference.id}/conference_tokens`)).json.data
  name = conference.name
  ids = { conference: conference.id, token: tokens[0].id, room: room.id, stream: stream.id }
})
afterAll(() => server.stop())

const asStranger = (path: string, options: TestRequest = {}) =>
  server.call(path, { ...options, credentials: STRANGER })

const url = 'rtmp://203.0.113.9/app'
it.each<[string, TestRequest, keyof typeof ids]>([
  ['conferences/:id', {}, 'conference'],
  ['conferences/:id', { method: 'PUT', body: { display_name: 'stolen' } }, 'conference'],
  ['conferences/:id', { method: 'DELETE' }, 'conference'],
  ['conferences/:id/conference_tokens', {}, 'conference'],
  ['conferences/:id/streams', {}, 'conference'],
  ['conferences/:id/streams', { method: 'POST', body: { url } }, 'conference'],
  ['conference_tokens/:id', {}, 'token'],
  ['conference_tokens/:id/reset', { method: 'POST' }, 'token'],
  ['rooms/:id/streams', {}, 'room'],
  ['rooms/:id/streams', { method: 'POST', body: { url } }, 'room'],
  ['streams/:id', {}, 'stream'],
  ['streams/:id', { method: 'PUT', body: { url } }, 'stream'],
  ['streams/:id', { method: 'DELETE' }, 'stream'],
])('another project meets nothing at %s %j', async (path, options, kind) => {
  const before = (await server.call(`${kind === 'token' ? 'conference_token' : kind}s/${ids[kind]}`)).json
  const answer = await asStranger(path.replace(':id', ids[kind]), options)
  expect(answer.status).toBe(404)
  expect(answer.json.errors[0].code).toBe('provided_id_is_unrecognized')
  const after = (await server.call(`${kind === 'token' ? 'conference_token' : kind}s/${ids[kind]}`)).json
  expect(after).toEqual(before)
})

it('another project lists nothing of this one, and may use its names', async () => {
  expect((await asStranger('conferences')).json.data).toEqual([])
  const answer = await asStranger('conferences', { method: 'POST', body: { display_name: 'x', name } })
  expect(answer.status).toBe(200)
  expect((await server.call('conferences')).json.data).toHaveLength(1)
})
