import { expect, test } from 'vitest'
import { ArrivalDelays } from './arrival-delays.ts'

test('delays count from the fastest packet', () => {
  const delays = new ArrivalDelays()
  for (let i = 0; i < 100; i++) delays.add(i * 20, 5000 + i * 20 + (i % 10) * 3)
  expect(delays.baselineMs).toBe(5000)
  expect(delays.quantileMs(0)).toBe(0)
  expect(delays.quantileMs(0.5)).toBe(15)
  expect(delays.quantileMs(1)).toBe(27)
})

test('a clock that runs away is followed', () => {
  const delays = new ArrivalDelays()
  // 500 ppm, over five minutes: 150 ms altogether.
  for (let i = 0; i < 15_000; i++) delays.add(i * 20, i * 20 * 1.0005)
  expect(delays.quantileMs(1)).toBeLessThan(6)
})

test('nothing is known before the first packet, and after a reset', () => {
  const delays = new ArrivalDelays()
  expect(delays.quantileMs(0.9)).toBe(0)
  expect(delays.baselineMs).toBe(Number.POSITIVE_INFINITY)
  delays.add(0, 100)
  delays.reset()
  expect(delays.baselineMs).toBe(Number.POSITIVE_INFINITY)
})
