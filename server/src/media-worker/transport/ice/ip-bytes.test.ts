import { SocketAddress } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ipBytes, ipText } from './ip-bytes.ts'

test.each([
  ['192.0.2.1', 'c0000201'],
  ['2001:db8::1', '20010db8000000000000000000000001'],
  ['::', '00000000000000000000000000000000'],
  ['::1', '00000000000000000000000000000001'],
  ['fe80::', 'fe800000000000000000000000000000'],
  ['fe80::1%eth0', 'fe800000000000000000000000000001'],
  ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
  ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
])('%s', (address, hex) => {
  expect(ipBytes(address).toString('hex')).toBe(hex)
})

test('what is no address is refused', () => {
  for (const address of ['', 'localhost', '1.2.3', ':::']) expect(() => ipBytes(address)).toThrow(RangeError)
})

test('addresses are written as the system writes them', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const family = address.includes(':') ? 'ipv6' : 'ipv4'
      const usual = new SocketAddress({ address, family }).address
      // The system writes some outdated kinds of IPv4 addresses in IPv6 ones with dots.
      fc.pre(family === 'ipv4' || !usual.includes('.'))
      expect(ipText(ipBytes(address))).toBe(usual)
      expect(ipBytes(ipText(ipBytes(address)))).toEqual(ipBytes(address))
    }),
  )
  expect(ipText(ipBytes('::FFFF:192.0.2.1'))).toBe('192.0.2.1')
  expect(ipText(ipBytes('2001:DB8:0:0:1:0:0:1'))).toBe('2001:db8::1:0:0:1')
  expect(ipText(ipBytes('2001:db8:0:1:1:1:1:1'))).toBe('2001:db8:0:1:1:1:1:1')
})
