import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cameraRequest } from './camera-request.ts'

test('a camera without a tile sends its smallest picture', () => {
  expect(cameraRequest(null, 20)).toMatchObject({ width: 320, height: 180, frameRate: 20 })
})

test('the picture fills its tile to within a tenth, and no smaller step would', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 1080 }), (height) => {
      const asked = cameraRequest({ width: Math.round((height * 16) / 9), height }, 30)
      expect(asked.height * 1.1).toBeGreaterThanOrEqual(height)
      const smaller = cameraRequest({ width: 0, height: asked.height * 0.5 }, 30)
      if (smaller.height < asked.height) expect(smaller.height * 1.1).toBeLessThan(height)
    }),
  )
})

test('a larger tile never asks for less', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1080 }), fc.integer({ min: 0, max: 500 }), (height, more) => {
      const small = cameraRequest({ width: 1, height }, 20)
      const large = cameraRequest({ width: 1, height: height + more }, 20)
      expect(large.maxBitrateBps).toBeGreaterThanOrEqual(small.maxBitrateBps)
    }),
  )
})
