import { describe, expect, test } from 'vitest'
import { type LinkPhase, simulateBottleneck } from '../../../../testing/transport/bottleneck-model.ts'
import type { LinkModelQuality } from '../../../../testing/transport/link-model.ts'

const GOOD = { loss: 0, delayMs: 20, jitterMs: 2 }
const SEEDS = [1, 2, 3, 4]
const mbps = (rate: number, more: Partial<LinkModelQuality> = {}) => ({
  ...GOOD,
  rateBps: rate * 1e6,
  ...more,
})
const simulate = (phases: LinkPhase[], seconds: number) =>
  SEEDS.map((seed) => simulateBottleneck({ phases, seconds, seed }))

describe.each([
  { name: 'a short queue', longestQueueMs: 30 },
  { name: 'a usual queue', longestQueueMs: 300 },
  { name: 'a very long queue', longestQueueMs: 2000 },
])('a bottleneck with $name', ({ longestQueueMs }) => {
  test('takes the picture down within 3 s and lets it up again, once each', () => {
    const phases = [
      { fromS: 0, quality: mbps(3, { longestQueueMs }) },
      { fromS: 10, quality: mbps(0.6, { longestQueueMs }) },
      { fromS: 40, quality: mbps(3, { longestQueueMs }) },
    ]
    for (const { changes, seconds } of simulate(phases, 100)) {
      expect(changes.map(({ to }) => to)).toEqual(['small', 'full'])
      const down = changes[0]!
      const up = changes[1]!
      expect(down.atS).toBeGreaterThan(10)
      expect(down.atS).toBeLessThan(12)
      expect(up.atS).toBeGreaterThan(40)
      expect(up.atS).toBeLessThan(90)
      // What the estimate says of the slow time is near the truth.
      for (const { estimateKbps } of seconds.slice(12, 40)) {
        expect(estimateKbps).toBeGreaterThan(300)
        expect(estimateKbps).toBeLessThan(950)
      }
    }
  })

  test('is found at once by who has never sent anything', () => {
    for (const { changes } of simulate([{ fromS: 0, quality: mbps(0.6, { longestQueueMs }) }], 60)) {
      expect(changes.map(({ to }) => to)).toEqual(['small'])
      expect(changes[0]!.atS).toBeLessThan(3)
    }
  })
})

test('tries to come up hardly delay the sound', () => {
  for (const { seconds } of simulate([{ fromS: 0, quality: mbps(0.6) }], 120)) {
    const late = seconds.slice(5).filter(({ soundLateMs }) => soundLateMs > 150)
    expect(late.length, JSON.stringify(seconds)).toBeLessThan(3)
  }
})

test('what carries nearly enough is not tried without end', () => {
  const phases = [
    { fromS: 0, quality: mbps(3) },
    { fromS: 5, quality: mbps(1.3) },
  ]
  for (const { changes } of simulate(phases, 180)) expect(changes.map(({ to }) => to)).toEqual(['small'])
})

test('who shares a link with others gives way, and takes what they leave', () => {
  const phases = [
    { fromS: 0, quality: mbps(3) },
    { fromS: 10, quality: mbps(3), otherBps: 2e6 },
    { fromS: 40, quality: mbps(3) },
  ]
  for (const { changes } of simulate(phases, 100)) {
    expect(changes.map(({ to }) => to)).toEqual(['small', 'full'])
    expect(changes[0]!.atS).toBeLessThan(13)
  }
})

describe('what is no congestion changes nothing', () => {
  const often = (everyS: number, forS: number, quality: LinkModelQuality): LinkPhase[] =>
    Array.from({ length: 120 / everyS }, (_, i) => [
      { fromS: i * everyS, quality: mbps(3) },
      { fromS: (i + 1) * everyS - forS, quality },
    ]).flat()

  test.each<{ name: string; phases: LinkPhase[] }>([
    { name: 'a link with just enough', phases: [{ fromS: 0, quality: mbps(2) }] },
    { name: '5 % loss', phases: [{ fromS: 0, quality: { ...GOOD, loss: 0.05 } }] },
    { name: '10 % loss', phases: [{ fromS: 0, quality: { ...GOOD, loss: 0.1 } }] },
    { name: '5 % loss in bursts', phases: [{ fromS: 0, quality: { ...GOOD, loss: 0.05, meanBurst: 3 } }] },
    { name: 'jitter', phases: [{ fromS: 0, quality: { loss: 0.05, delayMs: 50, jitterMs: 50 } }] },
    {
      name: 'jitter on several ways',
      phases: [{ fromS: 0, quality: { loss: 0.05, delayMs: 50, jitterMs: 50, reorders: true } }],
    },
    { name: 'a delay that jumps every 3 s', phases: often(3, 0.2, mbps(3, { delayMs: 220 })) },
    {
      name: 'another way, longer by 130 ms',
      phases: [
        { fromS: 0, quality: mbps(3) },
        { fromS: 10, quality: mbps(3, { delayMs: 150 }) },
      ],
    },
  ])('$name', ({ phases }) => {
    for (const { changes } of simulate(phases, 120)) expect(changes).toEqual([])
  })
})
