import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sequenceDistance, timestampDistance } from './serial.ts'

test('distances cross the wrap in both directions', () => {
  expect(sequenceDistance(0xffff, 0)).toBe(1)
  expect(sequenceDistance(0, 0xffff)).toBe(-1)
  expect(timestampDistance(0xffff_ffff, 0)).toBe(1)
  expect(timestampDistance(0, 0xffff_fff0)).toBe(-16)
})

test('going the distance arrives', () => {
  fc.assert(
    fc.property(fc.nat(0xffff), fc.integer({ min: -0x8000, max: 0x7fff }), (from, distance) => {
      expect(sequenceDistance(from, (from + distance) & 0xffff)).toBe(distance)
    }),
  )
  fc.assert(
    fc.property(fc.nat(0xffff_ffff), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), (from, distance) => {
      expect(timestampDistance(from, (from + distance) >>> 0)).toBe(distance)
    }),
  )
})
