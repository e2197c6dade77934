import { expect, test } from 'vitest'
import { SharedBitrate } from './shared-bitrate.ts'

test('goes down at once with the slowest network, and up again slowly', () => {
  const bitrate = new SharedBitrate(400_000)
  expect(bitrate.update(Number.POSITIVE_INFINITY, 1000)).toBe(false)
  expect(bitrate.update(300_000, 2000)).toBe(true)
  expect(bitrate.bps).toBe(195_000)
  expect(bitrate.update(290_000, 2500)).toBe(false)
  expect(bitrate.update(1_000_000, 3000)).toBe(false)
  expect(bitrate.update(1_000_000, 7000)).toBe(true)
  expect(bitrate.bps).toBe(400_000)
})

test('is never nothing', () => {
  const bitrate = new SharedBitrate(400_000)
  bitrate.update(0, 1000)
  expect(bitrate.bps).toBe(120_000)
})
