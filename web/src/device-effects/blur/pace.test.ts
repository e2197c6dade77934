import { expect, test } from 'vitest'
import { initialPace, nextPace } from './pace.ts'

const FRAME_MS = 33

/** @returns when the machine is found to be too slow, in milliseconds; null if it is not */
function foundSlow(times: readonly number[]): number | null {
  let pace = initialPace
  let nowMs = 0
  for (const tookMs of times) {
    nowMs += Math.max(FRAME_MS, tookMs)
    const [next, isSlow] = nextPace(pace, FRAME_MS, tookMs, nowMs)
    pace = next
    if (isSlow) return nowMs
  }
  return null
}

const frames = (count: number, tookMs: number): number[] => Array.from({ length: count }, () => tookMs)

test('a machine that processes two thirds of the frames is fast enough', () => {
  expect(foundSlow(frames(1000, 50))).toBeNull()
})

test('a machine that processes a third of the frames is too slow after some seconds', () => {
  const atMs = foundSlow(frames(1000, 100))
  expect(atMs).toBeGreaterThan(5_000)
  expect(atMs).toBeLessThan(8_000)
})

test('a machine that sleeps, or is busy for some seconds, is not too slow', () => {
  expect(foundSlow([...frames(30, 20), 60_000, ...frames(300, 20)])).toBeNull()
  expect(foundSlow([...frames(30, 20), ...frames(30, 120), ...frames(300, 20)])).toBeNull()
})
