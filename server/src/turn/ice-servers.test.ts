import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { readTurnUrl } from '../config/turn-options.ts'
import { readConfig } from '../config.ts'
import { createIceServers } from './ice-servers.ts'

const clock = { now: () => Date.UTC(2026, 0, 1) }
const iceServers = (env: Record<string, string>) =>
  createIceServers(readConfig(env), clock as Parameters<typeof createIceServers>[1])

it('are none without a TURN server', () => {
  expect(iceServers({})('ada')).toEqual([])
})

it('have credentials for twelve hours that the TURN server can check by its secret', () => {
  const urls = ['turn:t.example.org?transport=udp', 'turns:t.example.org:443?transport=tcp']
  const [server, ...others] = iceServers({
    PARLEY_TURN_URLS: urls.join(', '),
    PARLEY_TURN_SECRET: 'shared',
  })('ada')
  expect(others).toEqual([])
  const username = `${Date.UTC(2026, 0, 1, 12) / 1000}:ada`
  const credential = createHmac('sha1', 'shared').update(username).digest('base64')
  expect(server).toEqual({ urls, username, credential })
})

it.each([
  ['turn:t.example.org', { host: 't.example.org', port: 3478, transport: 'udp' }],
  ['turn:192.0.2.7:80?transport=tcp', { host: '192.0.2.7', port: 80, transport: 'tcp' }],
  ['turn:[2001:db8::1]:3479', { host: '2001:db8::1', port: 3479, transport: 'udp' }],
  ['turns:t.example.org', { host: 't.example.org', port: 5349, transport: 'tls' }],
  ['turns:t.example.org:443?transport=tcp', { host: 't.example.org', port: 443, transport: 'tls' }],
])('read the address %s', (url, address) => {
  expect(readTurnUrl(url)).toEqual(address)
})

it.each([
  'stun:t.example.org',
  'turn://t.example.org',
  'turn:t.example.org:0',
  'turn:t.example.org:65536',
  'turn:t.example.org?transport=sctp',
  'turns:t.example.org?transport=udp',
  'turn:[::zz]',
  'turn:',
  'turn:ada@t.example.org',
])('refuse %s', (url) => {
  expect(readTurnUrl(url)).toBeUndefined()
  expect(() => readConfig({ PARLEY_TURN_URLS: url, PARLEY_TURN_SECRET: 'shared' })).toThrow(
    'PARLEY_TURN_URLS must be addresses such as turn:',
  )
})

it('want both options, and do not tell the secret', () => {
  expect(() => readConfig({ PARLEY_TURN_URLS: 'turn:t.example.org' })).toThrow('set together')
  expect(() => readConfig({ PARLEY_TURN_SECRET: 'shared' })).toThrow(/^(?!.*shared).*set together/)
})
