import type { NetworkInterfaceInfo } from 'node:os'
import { expect, test } from 'vitest'
import { hostAddresses } from './host-addresses.ts'

const info = (address: string, internal = false) =>
  ({ address, internal, family: address.includes(':') ? 'IPv6' : 'IPv4' }) as NetworkInterfaceInfo
const lo = [info('127.0.0.1', true), info('::1', true)]
const machine = {
  lo,
  eth0: [info('192.0.2.1'), info('2001:db8::1'), info('fe80::1'), info('2001:db8::2')],
  eth1: [info('198.51.100.1'), info('169.254.3.4')],
}

test('a socket is reached at all addresses of its family but those of loopback and link', () => {
  expect(hostAddresses(4, {}, machine)).toEqual(['192.0.2.1', '198.51.100.1'])
  expect(hostAddresses(6, { bindAddress: '::' }, machine)).toEqual(['2001:db8::1', '2001:db8::2'])
})

test('loopback is offered where there is nothing else', () => {
  expect(hostAddresses(4, {}, { lo })).toEqual(['127.0.0.1'])
  expect(hostAddresses(6, {}, { lo: [info('127.0.0.1', true)], eth0: [info('fe80::1')] })).toEqual([])
})

test('a bound socket is reached at its address, and an announced one beside it', () => {
  const nat = { announcedIp: '203.0.113.9' }
  expect(hostAddresses(4, { bindAddress: '127.0.0.1' }, machine)).toEqual(['127.0.0.1'])
  expect(hostAddresses(4, { ...nat, bindAddress: '192.0.2.1' }, machine)).toEqual([
    '192.0.2.1',
    '203.0.113.9',
  ])
  expect(hostAddresses(4, { announcedIp: '192.0.2.1' }, machine)).toEqual(['192.0.2.1', '198.51.100.1'])
  expect(hostAddresses(6, nat, machine)).toEqual(['2001:db8::1', '2001:db8::2'])
})
