import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { browserOf } from './browser-id.ts'

const handshake = (headers: Record<string, string>) => ({ headers }) as unknown as IncomingMessage
const HOSTS = ['meet.example.org', 'localhost:8443']

describe('a browser on our own page', () => {
  test('gets an id, and is known by it from then on', () => {
    const first = browserOf(handshake({ origin: 'https://localhost:8443' }), HOSTS)
    expect(first?.setCookie).toBe(
      `__Host-parley-browser=${first?.id}; Path=/; Secure; HttpOnly; SameSite=Strict`,
    )
    const cookie = `other=1; ${first?.setCookie?.split(';')[0]}; last=x`
    expect(browserOf(handshake({ origin: 'https://meet.example.org', cookie }), HOSTS)).toEqual({
      id: first?.id,
      setCookie: null,
    })
  })

  test.each(['', 'short', 'x'.repeat(23), 'x'.repeat(21), `${'x'.repeat(20)}%0`])(
    'with %j for an id gets a new one',
    (value) => {
      const cookie = `__Host-parley-browser=${value}`
      const browser = browserOf(handshake({ origin: 'https://localhost:8443', cookie }), HOSTS)
      expect(browser?.id).toMatch(/^[\w-]{22}$/)
      expect(browser?.setCookie).toContain(browser?.id)
    },
  )

  test('under another name is not taken for the cookie', () => {
    const cookie = `x__Host-parley-browser=${'a'.repeat(22)}`
    const browser = browserOf(handshake({ origin: 'https://localhost:8443', cookie }), HOSTS)
    expect(browser?.id).not.toBe('a'.repeat(22))
  })
})

test.each([
  {},
  { origin: 'https://elsewhere.example' },
  { origin: 'http://localhost:8443' },
  { origin: 'null' },
])('a client with %j has no browser', (headers) => {
  expect(browserOf(handshake(headers), HOSTS)).toBeNull()
})
