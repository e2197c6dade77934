import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashApiToken } from '../../secrets/api-token-secret.ts'
import { sampleApiToken } from '../../testing/sample-records.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  await server.storage.apiTokens.insert(
    sampleApiToken({ project_id: server.projectId, hash: hashApiToken('video-only') }),
  )
})
afterAll(() => server.stop())

const create = (body: unknown, family = 'chat', options: object = {}) =>
  server.call(`/api/${family}/tokens`, { method: 'POST', body, ...options })

const channels = { lobby: { read: true, write: true } }
const decode = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
const payloadOf = (token: string) => decode(token.split('.')[1])

const named = (count: number, name: (index: number) => string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), { read: true }]))

describe.each(['chat', 'pubsub'])('POST /api/%s/tokens', (family) => {
  it('makes a token that tells the client where to connect', async () => {
    const { status, json, headers } = await create({ ttl: 5, channels }, family)
    expect(status).toBe(200)
    expect(Object.keys(json)).toEqual(['token'])
    expect(headers['cache-control']).toBe('no-store')
    const [header, payload] = json.token.split('.')
    expect(decode(header)).toEqual({ alg: 'HS512', typ: 'CHT', ch: new URL(server.origin).host })
    const claims = decode(payload)
    expect(claims).toMatchObject({ sub: server.projectId, rw: ['lobby'], k: family })
    expect(claims.exp - claims.iat).toBeGreaterThanOrEqual(300)
    expect(claims.exp - claims.iat).toBeLessThanOrEqual(301)
    expect(claims.m).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('wants the scope of that name', async () => {
    const credentials = { user: server.projectId, password: 'video-only' }
    const answer = await create({ ttl: 5, channels }, family, { credentials })
    expect(answer.status).toBe(403)
    expect(answer.json.errors[0].code).toBe('invalid_auth_token_permissions')
    expect((await create({ ttl: 5, channels }, family, { credentials: null })).status).toBe(401)
  })
})

describe('what is taken', () => {
  it.each<[string, object]>([
    ['one minute', { ttl: 1, channels }],
    ['thirty days', { ttl: 43_200, channels }],
    ['500 channels with the longest names', { ttl: 1, channels: named(500, (i) => `${i}`.padEnd(250, 'x')) }],
    ['250 characters of four bytes', { ttl: 1, channels: { ['🎥'.repeat(250)]: { read: true } } }],
    ['a name with sw_ inside', { ttl: 1, channels: { 'a sw_': { write: true }, SW_x: { read: true } } }],
    ['names of methods', { ttl: 1, channels: { toString: { read: true }, constructor: { read: true } } }],
    ['one of two properties', { ttl: 1, channels: { a: { read: false }, b: { write: false } } }],
    ['null for one of two', { ttl: 1, channels: { a: { read: null, write: true } } }],
    ['a member id of 250 characters', { ttl: 1, channels, member_id: '🎥'.repeat(250) }],
    ['null for what is optional', { ttl: 1, channels, member_id: null, state: null }],
    ['a state of 2000 characters', { ttl: 1, channels, state: { a: 'x'.repeat(1992) } }],
  ])('%s', async (_name, body) => {
    const answer = await create(body)
    expect(answer.json.errors).toBeUndefined()
    expect(answer.status).toBe(200)
  })

  it('keeps what was asked for', async () => {
    const all = { a: { read: true, write: true }, b: { read: true }, c: { write: true }, d: { read: false } }
    const { json } = await create({ ttl: 1, channels: all, member_id: 'ada', state: { mood: 'ü' } })
    expect(payloadOf(json.token)).toMatchObject({
      m: 'ada',
      st: { mood: 'ü' },
      rw: ['a'],
      ro: ['b'],
      wo: ['c'],
      no: ['d'],
    })
  })

  it('is replayed under an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'chat-1' }
    const [first, again] = [
      await create({ ttl: 1, channels }, 'chat', { headers }),
      await create({ ttl: 1, channels }, 'chat', { headers }),
    ]
    expect(again.json).toEqual(first.json)
  })
})

describe('what is refused', () => {
  it.each<[object, number, string, string]>([
    [{ channels }, 400, 'missing_required_parameter', 'ttl'],
    [{ ttl: 1 }, 400, 'missing_required_parameter', 'channels'],
    [{ ttl: 0, channels }, 422, 'invalid_parameter', 'ttl'],
    [{ ttl: 43_201, channels }, 422, 'invalid_parameter', 'ttl'],
    [{ ttl: 1.5, channels }, 422, 'invalid_parameter', 'ttl'],
    [{ ttl: '5', channels }, 422, 'invalid_parameter', 'ttl'],
    [{ ttl: null, channels }, 422, 'invalid_parameter', 'ttl'],
    [{ ttl: 1, channels: null }, 422, 'not_a_hash', 'channels'],
    [{ ttl: 1, channels: ['lobby'] }, 422, 'not_a_hash', 'channels'],
    [{ ttl: 1, channels: 'lobby' }, 422, 'not_a_hash', 'channels'],
    [{ ttl: 1, channels: {} }, 422, 'no_channel_specified', 'channels'],
    [{ ttl: 1, channels: named(501, String) }, 422, 'channel_size_limit_exceeded', 'channels'],
    [
      { ttl: 1, channels: { ['x'.repeat(251)]: { read: true } } },
      422,
      'channel_name_size_limit_exceeded',
      'channels',
    ],
    [{ ttl: 1, channels: { '': { read: true } } }, 422, 'invalid_parameter', 'channels'],
    [{ ttl: 1, channels: { 'a\nb': { read: true } } }, 422, 'invalid_parameter', 'channels'],
    [{ ttl: 1, channels: { sw_x: { read: true } } }, 422, 'channel_name_is_reserved', 'channels'],
    [{ ttl: 1, channels: { a: {} } }, 422, 'channel_has_missing_properties', 'channels'],
    [{ ttl: 1, channels: { a: { speak: true } } }, 422, 'channel_has_missing_properties', 'channels'],
    [{ ttl: 1, channels: { a: { read: null } } }, 422, 'channel_has_missing_properties', 'channels'],
    [{ ttl: 1, channels: { a: true } }, 422, 'not_a_hash', 'channels'],
    [{ ttl: 1, channels: { a: { read: 'yes' } } }, 422, 'not_a_boolean', 'channels'],
    [{ ttl: 1, channels, member_id: 7 }, 422, 'not_a_string', 'member_id'],
    [{ ttl: 1, channels, member_id: '' }, 422, 'invalid_parameter', 'member_id'],
    [{ ttl: 1, channels, member_id: 'x'.repeat(251) }, 422, 'invalid_parameter', 'member_id'],
    [{ ttl: 1, channels, state: 'x' }, 422, 'not_a_hash', 'state'],
    [{ ttl: 1, channels, state: { a: 'x'.repeat(1993) } }, 422, 'state_size_limit_exceeded', 'state'],
    [
      { ttl: 1, channels: named(500, (i) => `${i}`.padEnd(200, '語')) },
      422,
      'channel_size_limit_exceeded',
      'channels',
    ],
  ])('%j', async (body, status, code, attribute) => {
    const answer = await create(body)
    expect(answer.json.errors).toMatchObject([{ code, attribute }])
    expect(answer.status).toBe(status)
  })

  it('all that is wrong at once', async () => {
    const { json } = await create({ ttl: 0, channels: {}, member_id: 1, state: 2 })
    const told = json.errors.map(({ attribute }: { attribute: string }) => attribute)
    expect(told.sort()).toEqual(['channels', 'member_id', 'state', 'ttl'])
  })
})
