import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../ids.ts'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import type { ChatMessageRecord } from '../../storage/records.ts'
import { sampleApiToken, sampleChatMessage } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

const BASE = '/api/messaging/messages'
const STRANGER = { user: newId(), password: 'token-of-a-stranger' }

let server: TestServer
let messages: ChatMessageRecord[]

beforeAll(async () => {
  server = await startTestServer()
  const { storage, projectId: project_id } = server
  const write = (fields: Partial<ChatMessageRecord>) =>
    sampleChatMessage({
      project_id,
      room_session_id: newId(),
      channel: 'sw_conference_1',
      from_name: 'Ada',
      to_name: 'standup',
      ...fields,
    })
  messages = [
    write({ created_at: Date.UTC(2030, 0, 31, 9, 30), content: '"Hello \\u0000 <b>"' }),
    write({ created_at: Date.UTC(2030, 0, 31, 9, 31), content: '{"text":"object"}' }),
    write({ created_at: Date.UTC(2030, 0, 31, 9, 32), from_name: null, to_name: null }),
  ]
  const ofProject = write({ room_session_id: null, channel: 'lobby' })
  for (const message of [...messages, ofProject]) await storage.chatMessages.insert(message)
  await storage.projects.insert({ id: STRANGER.user, name: 'stranger', created_at: 1 })
  const scopes = ['messaging' as const]
  await storage.apiTokens.insert(
    sampleApiToken({ project_id: STRANGER.user, hash: hashApiToken(STRANGER.password), scopes }),
  )
  await storage.apiTokens.insert(sampleApiToken({ project_id, hash: hashApiToken('video-only') }))
})
afterAll(() => server.stop())

describe('GET /api/messaging/messages', () => {
  it('lists what was written in conferences, newest first', async () => {
    const { status, json, headers } = await server.call(BASE)
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(messages.map(({ id }) => id).reverse())
    expect(json.data[2]).toEqual({
      id: messages[0]?.id,
      from: 'Ada',
      to: 'standup',
      body: 'Hello \u0000 <b>',
      status: 'delivered',
      direction: 'inbound',
      kind: 'chat',
      media: [],
      number_of_segments: 1,
      error_code: null,
      error_message: null,
      created_at: '2030-01-31T09:30:00Z',
      project_id: server.projectId,
      status_callback_url: null,
      message_uri: `${BASE}/${messages[0]?.id}`,
    })
    expect(json.data[1].body).toBe('{"text":"object"}')
    expect(json.data[0]).toMatchObject({ from: 'ada', to: 'sw_conference_1' })
  })

  it('comes in pages', async () => {
    const whole = (await server.call(BASE)).json.data
    const seen: unknown[] = []
    for (let path: string | null = `${BASE}?page_size=2`; path; ) {
      const { json } = await server.call(path)
      seen.push(...json.data)
      path = json.links.next
    }
    expect(seen).toEqual(whole)
  })

  it.each([
    ['page_size=0', 'invalid_parameter'],
    ['page_size=1001', 'invalid_parameter'],
    ['page_number=1', 'page_token_required'],
    ['page_token=PAx', 'page_token_is_invalid'],
  ])('refuses %s', async (query, code) => {
    const answer = await server.call(`${BASE}?${query}`)
    expect(answer.status).toBe(422)
    expect(answer.json.errors[0].code).toBe(code)
  })
})

describe('GET /api/messaging/messages/{id}', () => {
  it('shows the message where its uri says', async () => {
    const [first] = (await server.call(BASE)).json.data
    expect((await server.call(first.message_uri)).json).toEqual(first)
  })

  it('knows no others', async () => {
    for (const [id, status] of [
      [newId(), 404],
      ['x', 400],
    ] as const) {
      expect((await server.call(`${BASE}/${id}`)).status).toBe(status)
    }
  })
})

it('shows another project nothing, and wants the scope', async () => {
  expect((await server.call(BASE, { credentials: STRANGER })).json.data).toEqual([])
  const path = `${BASE}/${messages[0]?.id}`
  expect((await server.call(path, { credentials: STRANGER })).status).toBe(404)
  const credentials = { user: server.projectId, password: 'video-only' }
  expect((await server.call(BASE, { credentials })).status).toBe(403)
  expect((await server.call(BASE, { credentials: null })).status).toBe(401)
})
