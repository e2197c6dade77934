import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { sampleRoomTokenGrant } from '../testing/sample-room-token-grant.ts'
import { DEFAULT_PERMISSIONS, PERMISSIONS } from './permissions.ts'
import {
  mintRoomToken,
  ROOM_TOKEN_LIFETIME_MS,
  type RoomTokenGrant,
  roomTokenExpiry,
  verifyRoomToken,
} from './room-token.ts'

const key = randomBytes(64)
const host = 'parley.example:8443'
const issuedAt = Date.UTC(2030, 0, 2, 3, 4, 5)

const grant = sampleRoomTokenGrant({
  id: '3f6b2f0e-6a43-4f0c-9d5b-0f1a2b3c4d5e',
  project_id: '7a9a53f2-1f4e-4b9f-8a43-2f2f0c1f7c11',
  issued_at: issuedAt,
})

const part = (token: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString())

const sign = (payload: Record<string, unknown>, header: Record<string, unknown> = {}) =>
  new SignJWT(payload).setProtectedHeader({ alg: 'HS512', typ: 'VRT', ch: host, ...header }).sign(key)

describe('a minted room token', () => {
  test('carries in its header what the browser client looks for', async () => {
    const token = await mintRoomToken(grant, key, { host })
    expect(part(token, 0)).toEqual({ alg: 'HS512', typ: 'VRT', ch: host })
  })

  test('dates itself in whole seconds, and is never shorter-lived for it', async () => {
    const token = await mintRoomToken({ ...grant, issued_at: issuedAt + 1 }, key, { host })
    expect(part(token, 1)).toMatchObject({
      iat: issuedAt / 1000,
      exp: (issuedAt + ROOM_TOKEN_LIFETIME_MS) / 1000 + 1,
    })
  })

  test('carries the published claims, in seconds', async () => {
    const joinFrom = Date.UTC(2030, 0, 3)
    const token = await mintRoomToken({ ...grant, join_from: joinFrom }, key, { host })
    expect(part(token, 1)).toEqual({
      iat: issuedAt / 1000,
      exp: (joinFrom + ROOM_TOKEN_LIFETIME_MS) / 1000,
      jti: grant.id,
      sub: grant.project_id,
      u: 'Ada',
      r: 'standup',
      s: DEFAULT_PERMISSIONS,
      acr: true,
      jf: joinFrom / 1000,
      ju: null,
      rat: null,
      rse: null,
    })
  })

  test('gives an audience no permissions, whatever is asked for', async () => {
    const token = await mintRoomToken({ ...grant, join_as: 'audience', permissions: PERMISSIONS }, key, {
      host,
    })
    const verified = await verifyRoomToken(token, key, issuedAt)
    expect(verified).toMatchObject({ ok: true, claims: { join_as: 'audience', permissions: [] } })
  })

  test('is not made with a key that is too short', async () => {
    await expect(mintRoomToken(grant, randomBytes(63), { host })).rejects.toThrow(RangeError)
  })

  test('says after verification exactly what it was minted with', async () => {
    const time = fc.integer({ min: Date.UTC(0), max: Date.UTC(9999, 11, 31) })
    const wholeSecond = fc.integer({ min: 0, max: 4e9 }).map((seconds) => seconds * 1000)
    const json = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 5 })
    const anyGrant = fc.record<RoomTokenGrant>({
      id: fc.uuid(),
      project_id: fc.uuid(),
      room_name: fc.stringMatching(/^[A-Za-z0-9_-]{1,100}$/),
      user_name: fc.option(fc.string({ unit: 'grapheme', maxLength: 100 })),
      permissions: fc.uniqueArray(fc.constantFrom(...PERMISSIONS)),
      join_as: fc.constant('member'),
      media_allowed: fc.constantFrom('all', 'audio-only', 'video-only'),
      auto_create_room: fc.boolean(),
      join_from: fc.option(time),
      join_until: fc.option(time),
      remove_at: fc.option(time),
      remove_after_seconds_elapsed: fc.option(fc.integer({ min: 1, max: 200_000 })),
      join_audio_muted: fc.boolean(),
      join_video_muted: fc.boolean(),
      end_room_session_on_leave: fc.boolean(),
      enable_room_previews: fc.boolean(),
      room_display_name: fc.option(fc.string({ unit: 'grapheme', maxLength: 200 })),
      sync_audio_video: fc.boolean(),
      room_meta: fc.option(json),
      meta: fc.option(json),
      issued_at: wholeSecond,
    })
    await fc.assert(
      fc.asyncProperty(anyGrant, async (any) => {
        const verified = await verifyRoomToken(await mintRoomToken(any, key, { host }), key, any.issued_at)
        const expiresAt = Math.ceil(roomTokenExpiry(any) / 1000) * 1000
        // JSON has no -0.
        expect(verified).toEqual({
          ok: true,
          claims: JSON.parse(JSON.stringify({ ...any, expires_at: expiresAt })),
        })
      }),
    )
  })
})

describe('the expiry', () => {
  const hour = 3_600_000
  test.each([
    ['nothing else', {}, issuedAt + ROOM_TOKEN_LIFETIME_MS],
    ['an early end of joining', { join_until: issuedAt + hour }, issuedAt + ROOM_TOKEN_LIFETIME_MS],
    ['a late end of joining', { join_until: issuedAt + 100 * hour }, issuedAt + 100 * hour],
    ['a late removal', { remove_at: issuedAt + 50 * hour }, issuedAt + 50 * hour],
    ['a late start', { join_from: issuedAt + hour }, issuedAt + hour + ROOM_TOKEN_LIFETIME_MS],
    ['a start in the past', { join_from: issuedAt - hour }, issuedAt + ROOM_TOKEN_LIFETIME_MS],
  ])('with %s', (_name, window, expected) => {
    expect(roomTokenExpiry({ ...grant, ...window })).toBe(expected)
  })

  test('is judged to the millisecond, and tells what the token said', async () => {
    const token = await mintRoomToken(grant, key, { host })
    const expiresAt = roomTokenExpiry(grant)
    expect((await verifyRoomToken(token, key, expiresAt - 1)).ok).toBe(true)
    expect(await verifyRoomToken(token, key, expiresAt)).toMatchObject({
      ok: false,
      reason: 'expired',
      claims: { id: grant.id, expires_at: expiresAt },
    })
  })
})

describe('a room token is refused', () => {
  test('as forged when another key signed it', async () => {
    const token = await mintRoomToken(grant, randomBytes(64), { host })
    expect(await verifyRoomToken(token, key, issuedAt)).toEqual({ ok: false, reason: 'bad_signature' })
  })

  test('as forged before anything it says is believed', async () => {
    const [header, , signature] = (await mintRoomToken(grant, key, { host })).split('.')
    const payload = Buffer.from(JSON.stringify({ r: 'other', exp: 0 })).toString('base64url')
    const forged = await verifyRoomToken(`${header}.${payload}.${signature}`, key, issuedAt)
    expect(forged).toEqual({ ok: false, reason: 'bad_signature' })
  })

  test('whichever character of it is changed', async () => {
    const token = await mintRoomToken(grant, key, { host })
    await fc.assert(
      fc.asyncProperty(
        fc.nat(token.length - 1),
        fc.constantFrom('A', 'z', '_', '.', '=', ' '),
        async (at, character) => {
          const changed = token.slice(0, at) + character + token.slice(at + 1)
          const sameBytes = Buffer.from(changed.split('.')[2] ?? '', 'base64url').equals(
            Buffer.from(token.split('.')[2]!, 'base64url'),
          )
          fc.pre(changed !== token && !(sameBytes && at > token.lastIndexOf('.')))
          expect((await verifyRoomToken(changed, key, issuedAt)).ok).toBe(false)
        },
      ),
    )
  })

  test.each([
    ['nothing', ''],
    ['two dots', '..'],
    ['words', 'no token at all'],
    ['two parts', 'a.b'],
    ['huge', `${'a'.repeat(70_000)}.b.c`],
    ['null header', `${Buffer.from('null').toString('base64url')}.e30.AAAA`],
  ])('as malformed when it is %s', async (_name, token) => {
    expect(await verifyRoomToken(token, key, issuedAt)).toEqual({ ok: false, reason: 'malformed' })
  })

  test('as malformed when it is unsigned', async () => {
    const [, payload] = (await mintRoomToken(grant, key, { host })).split('.')
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ: 'VRT', ch: host })).toString('base64url')
    expect(await verifyRoomToken(`${header}.${payload}.`, key, issuedAt)).toEqual({
      ok: false,
      reason: 'malformed',
    })
  })

  test('as malformed when it is signed but of another type or without its claims', async () => {
    const payload = part(await mintRoomToken(grant, key, { host }), 1)
    expect((await verifyRoomToken(await sign(payload), key, issuedAt)).ok).toBe(true)
    const malformed = { ok: false, reason: 'malformed' }
    expect(await verifyRoomToken(await sign(payload, { typ: 'SAT' }), key, issuedAt)).toEqual(malformed)
    for (const name of Object.keys(payload)) {
      const { [name]: _left, ...rest } = payload
      expect(await verifyRoomToken(await sign(rest), key, issuedAt)).toEqual(malformed)
      expect(await verifyRoomToken(await sign({ ...payload, [name]: {} }), key, issuedAt)).toEqual(malformed)
    }
  })

  test('never by throwing, for whatever a client sends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.array(fc.base64String()).map((parts) => parts.join('.')),
        ),
        async (text) => {
          expect((await verifyRoomToken(text, key, issuedAt)).ok).toBe(false)
        },
      ),
    )
  })
})
