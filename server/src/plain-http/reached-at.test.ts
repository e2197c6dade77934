import type { NetworkInterfaceInfo } from 'node:os'
import { expect, it } from 'vitest'
import { phoneAddress, reachedAt } from './reached-at.ts'

const at = (host: string | undefined, localPort = 8442) =>
  reachedAt({ headers: { ...(host !== undefined && { host }) }, socket: { localPort } } as never)

const address = (text: string, internal = false) => ({ address: text, internal }) as NetworkInterfaceInfo
const MACHINE = [address('127.0.0.1', true), address('fe80::1'), address('2001:db8::7'), address('192.0.2.7')]
const everywhere = { host: '0.0.0.0', publicUrl: null, announcedIp: null }

it('reads where a visitor is, and falls back to localhost', () => {
  expect(at('meet.example.org')).toMatchObject({ hostInUrl: 'meet.example.org', port: 80, isForwarded: true })
  expect(at('[2001:db8::7]:8442')).toMatchObject({
    hostInUrl: '[2001:db8::7]',
    port: 8442,
    isForwarded: false,
  })
  for (const bad of [undefined, '', 'a b', '[::', 'x:999999', 'é', 'a@b']) {
    expect(at(bad), bad).toEqual({ hostInUrl: 'localhost', port: 8442, localPort: 8442, isForwarded: false })
  }
})

it('sends phones where they reach the server', () => {
  const phone = (config: Partial<typeof everywhere> & object, host?: string, machine = MACHINE) =>
    phoneAddress({ ...everywhere, ...config }, at(host), machine)
  expect(phone({}, 'localhost:8442')).toBe('http://192.0.2.7:8442/')
  expect(phone({}, '127.0.0.1:8442', [address('2001:db8::7')])).toBe('http://[2001:db8::7]:8442/')
  expect(phone({}, 'box.local:8442')).toBe('http://box.local:8442/')
  expect(phone({}, 'box.local')).toBe('http://box.local/')
  expect(phone({ host: '192.0.2.9' }, 'localhost:8442')).toBe('http://192.0.2.9:8442/')
  expect(phone({ host: '127.0.0.1' }, 'box.local')).toBeNull()
  expect(phone({}, 'localhost:8442', [address('127.0.0.1', true)])).toBeNull()
  expect(phone({ announcedIp: '198.51.100.1' } as never, 'localhost:8442')).toBe('http://198.51.100.1:8442/')
  const named = { publicUrl: 'https://meet.example.org:9443' } as never
  expect(phone(named, 'localhost:8442')).toBe('http://meet.example.org:8442/')
  expect(phone(named, 'meet.example.org')).toBe('http://meet.example.org/')
})
