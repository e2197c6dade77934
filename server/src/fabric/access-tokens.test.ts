import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type AccessGrant, mintAccessToken, verifyAccessToken } from './access-tokens.ts'

const key = randomBytes(64)
const now = Date.UTC(2030, 0, 1)
const expires_at = now + 60_000
const common = { id: 't', project_id: 'p', subscriber_id: 's', sign_in_id: 'i', expires_at }
const subscriber: AccessGrant = { kind: 'subscriber', ...common }
const grants: AccessGrant[] = [
  subscriber,
  { kind: 'refresh', ...common },
  { kind: 'guest', ...common, allowed_addresses: ['a', 'b'] },
]

test.each(grants)('a token of kind $kind says what it was made for', async (grant) => {
  const token = await mintAccessToken(grant, key, { now, host: 'localhost' })
  expect(await verifyAccessToken(token, key, now)).toEqual({ ok: true, grant })
})

test('a token is good until the second it expires', async () => {
  const token = await mintAccessToken(subscriber, key, { now, host: 'localhost' })
  expect(await verifyAccessToken(token, key, expires_at - 1000)).toMatchObject({ ok: true })
  expect(await verifyAccessToken(token, key, expires_at)).toEqual({ ok: false, reason: 'expired' })
})

test('another key, a changed token and what is no token are refused', async () => {
  const token = await mintAccessToken(subscriber, key, { now, host: 'localhost' })
  expect(await verifyAccessToken(token, randomBytes(64), now)).toEqual({ ok: false, reason: 'invalid' })
  for (const text of [`${token}x`, token.slice(1), '', 'a.b.c', 'x'.repeat(10_000)]) {
    expect(await verifyAccessToken(text, key, now)).toEqual({ ok: false, reason: 'invalid' })
  }
})
