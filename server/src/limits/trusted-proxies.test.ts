import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { createTrustedProxies } from './trusted-proxies.ts'

const proxies = createTrustedProxies(['10.0.0.0/8', '2001:db8::7'])

const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage

test.each([
  ['a client itself', '192.0.2.1', undefined, '192.0.2.1'],
  ['a client that claims to be another', '192.0.2.1', '198.51.100.9', '192.0.2.1'],
  ['a proxy', '10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['a proxy over IPv6', '::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['a proxy whose client invents a chain', '10.0.0.1', '198.51.100.9, 192.0.2.1', '192.0.2.1'],
  ['two proxies', '10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1'],
  ['a proxy that speaks for itself', '2001:db8::7', undefined, '2001:db8::7'],
])('%s is seen as the client', (_, remoteAddress, forwarded, client) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  expect(proxies.clientOf(from(remoteAddress, headers))).toBe(client)
})

test('the host is what a proxy passed on, and nothing that a client claims', () => {
  const headers = { host: 'inner', 'x-forwarded-host': 'forged, meet.example.org' }
  expect(proxies.hostOf(from('10.0.0.1', headers))).toBe('meet.example.org')
  expect(proxies.hostOf(from('10.0.0.1', { host: 'inner' }))).toBe('inner')
  expect(proxies.hostOf(from('192.0.2.1', headers))).toBe('inner')
})

test('without a list nobody is trusted', () => {
  expect(createTrustedProxies([]).isTrusted('10.0.0.1')).toBe(false)
  expect(proxies.isTrusted(undefined)).toBe(false)
})
