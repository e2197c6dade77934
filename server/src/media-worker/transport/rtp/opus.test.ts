import { expect, test } from 'vitest'
import { opusDurationSamples } from './opus.ts'

const samplesOf = (...bytes: number[]) => opusDurationSamples(Buffer.from(bytes), 0, bytes.length)

test('durations by configuration and number of frames', () => {
  // 20 ms: SILK wideband, hybrid, CELT fullband.
  expect(samplesOf(9 << 3)).toBe(960)
  expect(samplesOf(15 << 3)).toBe(960)
  expect(samplesOf(31 << 3)).toBe(960)
  // 60 ms of SILK, 2.5 ms of CELT.
  expect(samplesOf(3 << 3)).toBe(2880)
  expect(samplesOf(16 << 3)).toBe(120)
  // Two frames of 10 ms, and four of 5 ms.
  expect(samplesOf((30 << 3) | 1)).toBe(960)
  expect(samplesOf((29 << 3) | 3, 4)).toBe(960)
})

test('what is no Opus packet lasts no time', () => {
  expect(samplesOf()).toBe(0)
  expect(samplesOf((31 << 3) | 3)).toBe(0)
  // 63 frames of 20 ms are more than the 120 ms allowed.
  expect(samplesOf((31 << 3) | 3, 63)).toBe(0)
})
