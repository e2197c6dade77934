import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cameraRequest } from './camera-request.ts'

const limits = (fps: number) => ({ fps, hasSmallCameras: false })

test('a camera without a tile sends its smallest picture', () => {
  expect(cameraRequest(null, limits(20))).toMatchObject({ width: 320, height: 180, frameRate: 20 })
})

test('the picture fills its tile to within a tenth, and no smaller step would', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 1080 }), (height) => {
      const asked = cameraRequest({ width: Math.round((height * 16) / 9), height }, limits(30))
      expect(asked.height * 1.1).toBeGreaterThanOrEqual(height)
      const smaller = cameraRequest({ width: 0, height: asked.height * 0.5 }, limits(30))
      if (smaller.height < asked.height) expect(smaller.height * 1.1).toBeLessThan(height)
    }),
  )
})

test('a larger tile never asks for less', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1080 }), fc.integer({ min: 0, max: 500 }), (height, more) => {
      const small = cameraRequest({ width: 1, height }, limits(20))
      const large = cameraRequest({ width: 1, height: height + more }, limits(20))
      expect(large.maxBitrateBps).toBeGreaterThanOrEqual(small.maxBitrateBps)
    }),
  )
})

test('an overloaded machine asks for one size less, and a smallest one there is', () => {
  const asked = (height: number) => cameraRequest({ width: 1, height }, { fps: 10, hasSmallCameras: true })
  expect([1, 180, 360, 540, 720, 1080].map((height) => asked(height).height)).toEqual([
    180, 180, 180, 360, 540, 720,
  ])
  expect(asked(360).frameRate).toBe(10)
})
