import { expect, test } from 'vitest'
import { simulateDownlink } from '../../../testing/transport/downlink-model.ts'
import type { LinkModelQuality } from '../../../testing/transport/link-model.ts'

/** Frozen is every step between two pictures that is longer than this, all of it. */
const LONGEST_STEP_MS = 250
const SEEDS = [1, 2, 3]
/** 100 ms round trip. In a network that keeps the order, such jitter makes 170 of it. */
const JITTER = { delayMs: 50, jitterMs: 50 }

/** A minute from the first lost packet on, the mean over some seeds. */
function minuteOver(quality: LinkModelQuality, packetsPerFrame: number) {
  const outcomes = SEEDS.map((seed) =>
    simulateDownlink({ quality, seconds: 65, seed, packetsPerFrame, longestStepMs: LONGEST_STEP_MS }),
  )
  const mean = (key: keyof (typeof outcomes)[0]) =>
    outcomes.reduce((sum, each) => sum + each[key], 0) / outcomes.length
  return {
    frozen: mean('frozen'),
    pictureDelayMs: mean('pictureDelayMs'),
    repetitionsPerLoss: mean('repetitionsPerLoss'),
  }
}

test.each([
  { name: '5 % loss', quality: { loss: 0.05, ...JITTER }, frozen: 0.01 },
  { name: '10 % loss', quality: { loss: 0.1, ...JITTER }, frozen: 0.02 },
  { name: '5 % loss in bursts', quality: { loss: 0.05, ...JITTER, meanBurst: 3 }, frozen: 0.02 },
  { name: '10 % loss in bursts', quality: { loss: 0.1, ...JITTER, meanBurst: 3 }, frozen: 0.05 },
  { name: '5 % loss and reordering', quality: { loss: 0.05, ...JITTER, reorders: true }, frozen: 0.01 },
])('the picture of the room hardly stands still over $name', ({ quality, frozen }) => {
  for (const packetsPerFrame of [1, 4]) {
    const seen = minuteOver(quality, packetsPerFrame)
    expect(seen.frozen, JSON.stringify(seen)).toBeLessThan(frozen)
    expect(seen.pictureDelayMs).toBeLessThan(550)
  }
})

test('repetitions cost twice what is lost', () => {
  const seen = minuteOver({ loss: 0.05, delayMs: 50, jitterMs: 5 }, 4)
  expect(seen.repetitionsPerLoss).toBeGreaterThan(1.5)
  expect(seen.repetitionsPerLoss).toBeLessThan(2.5)
})

test('where nothing is lost, nothing is delayed or sent twice', () => {
  const seen = minuteOver({ loss: 0, delayMs: 50, jitterMs: 0 }, 4)
  expect(seen).toMatchObject({ frozen: 0, repetitionsPerLoss: 0 })
  // The network's 50 ms, and the 40 that the model of the browser waits by itself.
  expect(seen.pictureDelayMs).toBeLessThanOrEqual(90)
})
