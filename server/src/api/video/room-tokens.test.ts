import { decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../clock.ts'
import { newId } from '../../ids.ts'
import { createApiTokens } from '../../projects/api-tokens.ts'
import { DEFAULT_PERMISSIONS, PERMISSIONS } from '../../rooms/permissions.ts'
import { verifyRoomToken } from '../../rooms/room-token.ts'
import { loadServerSecrets } from '../../secrets/server-secrets.ts'
import { startTestServer, type TestServer } from '../../testing/server-for-tests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
}, 120_000)
afterAll(() => server.stop())

const post = (body: unknown) => server.call('room_tokens', { method: 'POST', body })

async function claims(body: Record<string, unknown>) {
  const { status, json } = await post({ room_name: 'lobby', ...body })
  expect(status).toBe(200)
  expect(Object.keys(json)).toEqual(['token'])
  const { roomTokenKey } = loadServerSecrets(server)
  const verified = await verifyRoomToken(json.token, roomTokenKey, Date.now())
  if (!verified.ok) throw new Error(verified.reason)
  return verified.claims
}

describe('creating a room token', () => {
  it('says everything of the request, and defaults for the rest', async () => {
    expect(await claims({})).toMatchObject({
      project_id: server.projectId,
      room_name: 'lobby',
      user_name: null,
      permissions: DEFAULT_PERMISSIONS,
      join_as: 'member',
      media_allowed: 'all',
      auto_create_room: true,
      join_audio_muted: false,
      end_room_session_on_leave: false,
      enable_room_previews: false,
      sync_audio_video: false,
      room_meta: null,
      meta: null,
    })
    const given = {
      user_name: 'Ada 🎥',
      permissions: ['room.lock', 'room.self.audio_mute'],
      media_allowed: 'audio-only',
      auto_create_room: false,
      remove_after_seconds_elapsed: 200_000,
      join_audio_muted: true,
      join_video_muted: true,
      end_room_session_on_leave: true,
      enable_room_previews: true,
      room_display_name: 'Lobby',
      sync_audio_video: true,
      room_meta: { a: 1 },
      meta: { b: 2 },
    }
    const dates = { join_from: '2030-01-31', join_until: '2030-02-01T00:00:00Z', remove_at: '2030-02-02' }
    expect(await claims({ ...given, ...dates })).toMatchObject({
      ...given,
      join_from: Date.parse('2030-01-31'),
      join_until: Date.parse('2030-02-01'),
      remove_at: Date.parse('2030-02-02'),
    })
  })

  it('gives an audience no permissions, whatever is sent', async () => {
    const audience = await claims({ join_as: 'audience', permissions: ['room.lock'] })
    expect(audience).toMatchObject({ join_as: 'audience', permissions: [] })
  })

  it('accepts every permission, and none at all', async () => {
    expect((await claims({ permissions: [...PERMISSIONS] })).permissions).toEqual(PERMISSIONS)
    expect((await claims({ permissions: [] })).permissions).toEqual([])
  })

  it('names the host that the caller used, in a header that the client can read', async () => {
    const { json } = await post({ room_name: 'lobby' })
    const host = new URL(server.origin).host
    expect(decodeProtectedHeader(json.token)).toEqual({ alg: 'HS512', typ: 'VRT', ch: host })
    expect(decodeJwt(json.token).r).toBe('lobby')
    await expect(jwtVerify(json.token, new Uint8Array(64))).rejects.toThrow()
  })

  it.each([
    ['nothing', {}, 400, { room_name: 'missing_required_parameter' }],
    ['a bad room name', { room_name: 'a b' }, 422, { room_name: 'invalid_parameter' }],
    [
      'a room name of 101 characters',
      { room_name: 'n'.repeat(101) },
      422,
      { room_name: 'invalid_parameter' },
    ],
    [
      'a user name of 101 characters',
      { room_name: 'a', user_name: '🎥'.repeat(101) },
      422,
      { user_name: 'invalid_parameter' },
    ],
    [
      'an unknown permission',
      { room_name: 'a', permissions: ['room.lock', 'room.fly'] },
      422,
      { permissions: 'list_contains_invalid_entries' },
    ],
    [
      'permissions that are no strings',
      { room_name: 'a', permissions: [1, {}] },
      422,
      { permissions: 'not_an_array_of_strings' },
    ],
    [
      'permissions that are no list',
      { room_name: 'a', permissions: 'room.lock' },
      422,
      { permissions: 'not_an_array_of_strings' },
    ],
    [
      'a window that closes first',
      { room_name: 'a', join_from: '2030-01-02', join_until: '2030-01-01' },
      422,
      { join_until: 'invalid_join_until_date' },
    ],
    ['a bad date', { room_name: 'a', remove_at: 'tomorrow' }, 422, { remove_at: 'not_a_datetime' }],
    [
      'too many seconds',
      { room_name: 'a', remove_after_seconds_elapsed: 200_001 },
      422,
      { remove_after_seconds_elapsed: 'invalid_parameter' },
    ],
    ['an unknown role', { room_name: 'a', join_as: 'owner' }, 422, { join_as: 'invalid_parameter' }],
    ['unknown media', { room_name: 'a', media_allowed: 'none' }, 422, { media_allowed: 'invalid_parameter' }],
    [
      'meta of 2001 characters',
      { room_name: 'a', room_meta: { k: 'x'.repeat(1993) }, meta: { k: 'x'.repeat(1993) } },
      422,
      { room_meta: 'invalid_parameter', meta: 'invalid_parameter' },
    ],
    [
      'booleans as text',
      { room_name: 'a', auto_create_room: 'no', join_audio_muted: 0 },
      422,
      { auto_create_room: 'not_a_boolean', join_audio_muted: 'not_a_boolean' },
    ],
  ])('refuses %s', async (_, body, status, expected) => {
    const { status: actual, json } = await post(body)
    expect(actual).toBe(status)
    const found = json.errors.map((error: { attribute: string; code: string }) => [
      error.attribute,
      error.code,
    ])
    expect(Object.fromEntries(found)).toEqual(expected)
  })
})

describe('revoking a room token', () => {
  const revoke = (body: unknown, options = {}) =>
    server.call('room_tokens/revoke', { method: 'POST', body, ...options })
  const codes = (answer: Awaited<ReturnType<typeof revoke>>) =>
    answer.json.errors.map((error: { attribute: string; code: string }) => [error.attribute, error.code])
  const make = async () => (await post({ room_name: 'lobby' })).json.token as string
  const revoked = async (id: unknown) => server.storage.revokedRoomTokens.findAmong([String(id)])

  it('takes the token or its id, in either case, as often as one likes, and writes one entry into the audit log', async () => {
    for (const reference of [
      (token: string) => ({ token }),
      (token: string) => ({ id: decodeJwt(token).jti }),
      (token: string) => ({ id: decodeJwt(token).jti?.toUpperCase(), token: null }),
    ]) {
      const token = await make()
      const { jti: id, exp = 0 } = decodeJwt(token)
      for (const _ of [1, 2]) {
        const answer = await revoke(reference(token))
        expect([answer.status, answer.text]).toEqual([204, ''])
      }
      expect(await revoked(id)).toMatchObject([{ project_id: server.projectId, expires_at: exp * 1000 }])
      const acts = await server.storage.audit.list({ projectId: server.projectId }, 100)
      expect(acts.filter(({ target }) => target === id)).toMatchObject([
        {
          action: 'room_token.revoke',
          actor_kind: 'api-token',
          actor: expect.stringMatching(/^[0-9a-f-]{36}$/),
        },
      ])
    }
  })

  it('finds no token of another project or another server', async () => {
    const other = newId()
    await server.storage.projects.insert({ id: other, name: 'other', created_at: 1 })
    const actor = { kind: 'server', name: 'server' } as const
    const tokens = createApiTokens({ storage: server.storage, clock: systemClock, actor })
    const { secret } = await tokens.create(other, 'ci', ['video'])
    const credentials = { user: other, password: secret }
    const token = await make()
    const { jti: id } = decodeJwt(token)
    for (const [body, attribute] of [
      [{ token }, 'token'],
      [{ id }, 'id'],
    ] as const) {
      const answer = await revoke(body, { credentials })
      expect([answer.status, codes(answer)]).toEqual([404, [[attribute, 'provided_id_is_unrecognized']]])
    }
    const forged = `${token.slice(0, -20)}${token.slice(-20).split('').reverse().join('')}`
    expect((await revoke({ token: forged })).status).toBe(404)
    expect((await revoke({ id: newId() })).status).toBe(404)
    expect(await revoked(id)).toEqual([])
  })

  it.each([
    ['nothing', {}, 400, [['token', 'missing_required_parameter']]],
    ['null', { token: null, id: null }, 400, [['token', 'missing_required_parameter']]],
    ['both', { token: 'a.b.c', id: newId() }, 422, [['id', 'incompatible_parameters']]],
    ['no token', { token: 'a.b.c' }, 422, [['token', 'invalid_parameter']]],
    ['a token without end', { token: 'x'.repeat(70_000) }, 422, [['token', 'invalid_parameter']]],
    ['a conference token', { token: `vpt_${'0'.repeat(48)}` }, 422, [['token', 'invalid_parameter']]],
    ['no id', { id: 'abc' }, 422, [['id', 'invalid_parameter']]],
    ['a number', { token: 7 }, 422, [['token', 'not_a_string']]],
  ])('refuses %s', async (_, body, status, expected) => {
    const answer = await revoke(body)
    expect([answer.status, codes(answer)]).toEqual([status, expected])
  })

  it('wants credentials with the scope video', async () => {
    const token = await make()
    expect((await revoke({ token }, { credentials: null })).status).toBe(401)
    const actor = { kind: 'server', name: 'server' } as const
    const tokens = createApiTokens({ storage: server.storage, clock: systemClock, actor })
    const { secret } = await tokens.create(server.projectId, 'chat', ['chat'])
    const credentials = { user: server.projectId, password: secret }
    expect((await revoke({ token }, { credentials })).status).toBe(403)
    expect(await revoked(decodeJwt(token).jti)).toEqual([])
  })

  it('forgets what has expired, once everybody has seen it', async () => {
    const long = Date.now() - 2 * 3600_000
    const row = { project_id: server.projectId, expires_at: long, created_at: long }
    const [old, late] = [newId(), newId()]
    await server.storage.revokedRoomTokens.insert({ ...row, token_id: old })
    await server.storage.revokedRoomTokens.insert({ ...row, token_id: late, created_at: Date.now() })
    await revoke({ token: await make() })
    expect(await revoked(old)).toEqual([])
    expect(await revoked(late)).toHaveLength(1)
  })
})
