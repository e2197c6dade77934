import { expect, test } from 'vitest'
import { ipBytes } from './ip-bytes.ts'

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
