import { describe, expect, test } from 'vitest'
import { type Counters, countersOf, factsBetween, qualityOf } from './connection-quality.ts'

test.each([
  [{ loss: 0, roundTripMs: 30, framesPerSecond: 20 }, 'good'],
  [{ loss: 0, roundTripMs: null, framesPerSecond: null }, 'good'],
  [{ loss: 0.03, roundTripMs: 30, framesPerSecond: 20 }, 'fair'],
  [{ loss: 0, roundTripMs: 300, framesPerSecond: 20 }, 'fair'],
  [{ loss: 0, roundTripMs: 30, framesPerSecond: 1 }, 'good'],
  [{ loss: 0, roundTripMs: 30, framesPerSecond: 0.5 }, 'fair'],
  [{ loss: 0.1, roundTripMs: 30, framesPerSecond: 20 }, 'poor'],
  [{ loss: 0, roundTripMs: 700, framesPerSecond: 20 }, 'poor'],
  [{ loss: 0, roundTripMs: 30, framesPerSecond: 0 }, 'poor'],
] as const)('%j is %s', (facts, level) => {
  expect(qualityOf(facts)).toBe(level)
})

const counters = (more: Partial<Counters>): Counters => ({
  atMs: 0,
  received: 0,
  lost: 0,
  frames: 0,
  sendLoss: 0,
  roundTripMs: 40,
  ...more,
})

describe('between two moments', () => {
  test('the share that was lost, the worse way, and the pictures a second', () => {
    const after = counters({ atMs: 2000, received: 90, lost: 10, frames: 40 })
    expect(factsBetween(counters({}), after)).toEqual({ loss: 0.1, roundTripMs: 40, framesPerSecond: 20 })
    expect(factsBetween(counters({}), { ...after, sendLoss: 0.2 })?.loss).toBe(0.2)
    expect(factsBetween(counters({ lost: 5 }), counters({ atMs: 2000, received: 9, lost: 1 }))?.loss).toBe(0)
  })

  test('nothing, if the connection was replaced or no time has passed', () => {
    expect(factsBetween(counters({ received: 9 }), counters({ atMs: 2000 }))).toBeNull()
    expect(factsBetween(counters({}), counters({ atMs: 100 }))).toBeNull()
  })
})

test('the counters of all tracks together, and the round trip of the path in use', () => {
  const reports = [
    { type: 'inbound-rtp', kind: 'audio', packetsReceived: 50, packetsLost: 1 },
    { type: 'inbound-rtp', kind: 'video', packetsReceived: 100, packetsLost: 2, framesDecoded: 30 },
    { type: 'remote-inbound-rtp', fractionLost: 0.05, roundTripTime: 0.09 },
    { type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.04 },
    { type: 'candidate-pair', nominated: false, currentRoundTripTime: 9 },
    { type: 'codec' },
  ]
  expect(countersOf(reports, 7)).toEqual({
    atMs: 7,
    received: 150,
    lost: 3,
    frames: 30,
    sendLoss: 0.05,
    roundTripMs: 40,
  })
})
