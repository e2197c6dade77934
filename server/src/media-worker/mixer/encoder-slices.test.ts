import { expect, test } from 'vitest'
import { encoderSlices } from './encoder-slices.ts'

test('only large pictures are shared by cores, where there are several', () => {
  expect(encoderSlices({ width: 1280, height: 720 }, 8)).toBe(1)
  expect(encoderSlices({ width: 1920, height: 1080 }, 8)).toBe(2)
  expect(encoderSlices({ width: 1920, height: 1080 }, 1)).toBe(1)
})
