import { expect, test } from 'vitest'
import type { LinkModelQuality } from '../../../testing/transport/link-model.ts'
import { simulateUplink, type UplinkOutcome } from '../../../testing/transport/uplink-model.ts'

/** Frozen is every step between two pictures that is longer than this, all of it. */
const LONGEST_STEP_MS = 250
const SEEDS = [1, 2, 3]
/** 100 ms round trip. In a network that keeps the order, such jitter makes 170 of it. */
const JITTER = { delayMs: 50, jitterMs: 50 }
const CAMERAS = {
  'a still picture': { framesPerSecond: 15, packetsPerFrame: 1 },
  'a usual camera': { framesPerSecond: 15, packetsPerFrame: 4 },
  'a fast camera': { framesPerSecond: 30, packetsPerFrame: 3 },
}
type CameraName = keyof typeof CAMERAS

/** A minute from the first lost packet on, the mean over some seeds. */
function minuteOver(quality: LinkModelQuality, camera: CameraName): UplinkOutcome {
  const outcomes = SEEDS.map((seed) =>
    simulateUplink({ quality, seconds: 65, seed, camera: CAMERAS[camera], longestStepMs: LONGEST_STEP_MS }),
  )
  const mean = (key: keyof UplinkOutcome) =>
    outcomes.reduce((sum, each) => sum + each[key], 0) / outcomes.length
  return Object.fromEntries(
    Object.keys(outcomes[0]!).map((key) => [key, mean(key as keyof UplinkOutcome)]),
  ) as never
}

const FIVE_PERCENT = { loss: 0.05, ...JITTER }
const TEN_PERCENT = { loss: 0.1, ...JITTER }
const NO_JITTER = { loss: 0.05, delayMs: 50, jitterMs: 0 }

test.each<[CameraName, string, LinkModelQuality, { frozen: number; concealed: number }]>([
  ['a still picture', '5 % loss', FIVE_PERCENT, { frozen: 0.02, concealed: 0.02 }],
  ['a still picture', '10 % loss', TEN_PERCENT, { frozen: 0.04, concealed: 0.02 }],
  ['a usual camera', '5 % loss', FIVE_PERCENT, { frozen: 0.02, concealed: 0.02 }],
  ['a usual camera', '10 % loss', TEN_PERCENT, { frozen: 0.04, concealed: 0.02 }],
  ['a fast camera', '5 % loss', FIVE_PERCENT, { frozen: 0.02, concealed: 0.02 }],
  ['a fast camera', '10 % loss', TEN_PERCENT, { frozen: 0.04, concealed: 0.02 }],
  [
    'a usual camera',
    '5 % loss in bursts',
    { ...FIVE_PERCENT, meanBurst: 3 },
    { frozen: 0.02, concealed: 0.025 },
  ],
  [
    'a usual camera',
    '10 % loss in bursts',
    { ...TEN_PERCENT, meanBurst: 3 },
    { frozen: 0.04, concealed: 0.04 },
  ],
  [
    'a usual camera',
    '5 % loss and reordering',
    { ...FIVE_PERCENT, reorders: true },
    { frozen: 0.02, concealed: 0.02 },
  ],
  ['a usual camera', '5 % loss without jitter', NO_JITTER, { frozen: 0.01, concealed: 0.02 }],
])('%s hardly stands still over %s, and speech goes on', (camera, _, quality, most) => {
  const seen = minuteOver(quality, camera)
  expect(seen.frozen, JSON.stringify(seen)).toBeLessThan(most.frozen)
  expect(seen.concealed, JSON.stringify(seen)).toBeLessThan(most.concealed)
  // What is waited for is bounded.
  expect(seen.pictureDelayMs).toBeLessThan(600)
  expect(seen.soundDelayMs).toBeLessThan(600)
})

test.each([
  [0.05, 0.017],
  [0.1, 0.075],
])('it hardly stands still in the first seconds of a share of %d lost, either', (loss, most) => {
  const seeds = Array.from({ length: 20 }, (_, i) => i + 1)
  const camera = CAMERAS['a usual camera']
  const frozen = seeds.map(
    (seed) =>
      simulateUplink({
        quality: { loss, ...JITTER },
        seconds: 10,
        seed,
        camera,
        longestStepMs: LONGEST_STEP_MS,
      }).frozen,
  )
  expect(frozen.reduce((sum, each) => sum + each, 0) / seeds.length).toBeLessThan(most)
})

test.each(Object.keys(CAMERAS) as CameraName[])('%s is not delayed where nothing is lost', (camera) => {
  const clean = minuteOver({ loss: 0, delayMs: 50, jitterMs: 3 }, camera)
  expect(clean).toMatchObject({ frozen: 0, concealed: 0, nacks: 0, keyframeRequests: 0 })
  expect(clean.soundDelayMs).toBeLessThan(50 + 40)
  expect(clean.pictureDelayMs).toBeLessThan(50 + 40)
})

test('what was only overtaken is seldom asked for', () => {
  const quality = { loss: 0, ...JITTER, reorders: true }
  const seen = minuteOver(quality, 'a usual camera')
  // 110 packets a second, nearly every one of them overtakes another.
  expect(seen.repetitions).toBeLessThan(0.25 * 110 * 65)
  expect(seen.frozen).toBeLessThan(0.01)
})
