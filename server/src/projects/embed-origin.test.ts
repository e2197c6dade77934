import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contentSecurityPolicy } from '../api/files/content-security.ts'
import { entriesFor, readEmbedOrigin } from './embed-origin.ts'

it.each([
  ['https://shop.example', 'https://shop.example'],
  ['  HTTPS://Shop.Example/ ', 'https://shop.example'],
  ['https://shop.example:443', 'https://shop.example'],
  ['https://shop.example:8443', 'https://shop.example:8443'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['https://*.bücher.example:8443', 'https://*.xn--bcher-kva.example:8443'],
  ['https://*.shop.example', 'https://*.shop.example'],
  ['https://192.168.1.7', 'https://192.168.1.7'],
  ['https://[::1]:8443', 'https://[::1]:8443'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
])('reads %j as %s', (text, origin) => {
  expect(readEmbedOrigin(text)).toBe(origin)
  expect(readEmbedOrigin(origin)).toBe(origin)
})

it.each([
  ['*', /list each origin/],
  ['https://*', /is not an origin/],
  ['https://*.com', /two parts/],
  ['https://*.1.2.3.4', /two parts/],
  ['https://shop.*', /is not an origin/],
  ['https://*.*.example.org', /is not an origin/],
  ['shop.example', /write scheme and host/],
  ['null', /is not an origin/],
  ['', /is not an origin/],
  ['https://', /is not an origin/],
  ['ftp://shop.example', /is not an origin/],
  ['javascript:alert(1)', /is not an origin/],
  ['http://shop.example', /must begin with https/],
  ['https://ada:secret@shop.example', /leave out the user name/],
  ['https://ada@shop.example', /leave out the user name/],
  ['https://shop.example/page', /write https:\/\/shop\.example$/],
  ['https://shop.example?x', /no path/],
  ['https://shop.example#x', /no path/],
  ['https://shop.example:99999', /is not an origin/],
  ["https://shop.example;script-src'*'", /is not an origin/],
  ['https://shop.example https://evil.example', /is not an origin/],
  ['https://shop.example\r\nset-cookie: a=b', /is not an origin/],
  [`https://${'a'.repeat(400)}.example`, /is not an origin/],
])('refuses %j', (text, message) => {
  expect(() => readEmbedOrigin(text)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message) }),
  )
})

it('admits an origin by itself and by patterns of the hosts above', () => {
  expect(entriesFor('https://a.b.shop.example:8443')).toEqual([
    'https://a.b.shop.example:8443',
    'https://*.b.shop.example:8443',
    'https://*.shop.example:8443',
  ])
  expect(entriesFor('https://shop.example')).toEqual(['https://shop.example'])
  expect(entriesFor('http://a.localhost')).toEqual(['http://a.localhost'])
})

it.each([
  'null',
  '',
  'https://shop.example/',
  'https://Shop.example',
  'https://shop.example:443',
  'https://bücher.example',
  'https://x;script-src.shop.example',
  'https://ada@shop.example',
  "https://shop.example'",
  'https://shop.example\n',
])('takes %j for no origin, because no browser writes it so', (text) => {
  expect(entriesFor(text)).toEqual([])
})

it('lets nothing into the policy that ends an entry of it', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((host) => `https://${host}.shop.example`),
  )
  fc.assert(
    fc.property(texts, (text) => {
      if (entriesFor(text).length === 0) return
      const policy = contentSecurityPolicy({ hosts: ['here.example'], mediaOrigin: null, framedBy: [text] })
      expect(policy.split('; ').at(-1)).toMatch(/^frame-ancestors 'self' https?:\/\/[a-z0-9.:_[\]-]+$/)
      expect(() => new Headers({ 'content-security-policy': policy })).not.toThrow()
    }),
  )
})
