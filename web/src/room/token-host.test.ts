import { expect, test } from 'vitest'
import { leadsTo, tokenHost } from './token-host.ts'

const token = (header: unknown) =>
  [Buffer.from(JSON.stringify(header)).toString('base64url'), 'e30', 'c2ln'].join('.')
const own = ['meet.example.org', 'meet.example.org:8443', '[::1]:8443']

test('a token that leads here is taken, however it spells the address', () => {
  for (const ch of [
    'meet.example.org',
    'MEET.example.org',
    'meet.example.org:443',
    'wss://meet.example.org:8443/relay?x=1',
    '[::1]:8443',
  ]) {
    expect([ch, leadsTo(token({ ch }), own)]).toEqual([ch, true])
  }
})

test('a token that leads elsewhere is refused, whatever it looks like', () => {
  for (const ch of [
    'evil.example',
    'meet.example.org.evil.example',
    'meet.example.org:8443@evil.example',
    'wss://meet.example.org@evil.example',
    'evil.example/meet.example.org',
    'evil.example#meet.example.org',
    'evil.example\\@meet.example.org',
    'meet.example.org:9443',
    'ws://meet.example.org',
    'WSS://meet.example.org',
    ' ',
    '\u0000',
    5,
    ['meet.example.org'],
    { host: 'meet.example.org' },
  ]) {
    expect([ch, leadsTo(token({ ch }), own)]).toEqual([ch, false])
  }
})

test('a token without dots is decoded as well, as the client does', () => {
  const lone = Buffer.from(JSON.stringify({ ch: 'evil.example' })).toString('base64url')
  expect(leadsTo(lone, own)).toBe(false)
})

test('a token that names no host goes to the host of the page', () => {
  for (const text of [token({}), token({ ch: '' }), token(null), 'vpt_0123456789abcdef']) {
    expect(tokenHost(text)).toEqual({ is: 'unnamed' })
  }
  expect(tokenHost('???.e30.c2ln')).toEqual({ is: 'unreadable' })
})
