import { expect, test } from 'vitest'
import { QualityMeter } from './quality-meter.ts'
import type { TransportStats } from './transport-stats.ts'

function statsOf(received: Partial<TransportStats['received']>, sent: Partial<TransportStats['sent']> = {}) {
  return {
    roundTripMs: 40,
    received: { packets: 0, bytes: 0, lost: 0, repaired: 0, videoFrames: 0, jitterMs: 3, ...received },
    sent: { bytes: 0, reportedPackets: 0, reportedLost: 0, ...sent },
  } as TransportStats
}

test('figures are those of the time since the last look', () => {
  const meter = new QualityMeter(0)
  const first = statsOf({ packets: 900, lost: 0, bytes: 125_000, videoFrames: 300 }, { bytes: 250_000 })
  expect(meter.take(first, 10_000)).toEqual({
    roundTripMs: 40,
    jitterMs: 3,
    uplinkLoss: 0,
    downlinkLoss: null,
    uplinkBitrateBps: 100_000,
    downlinkBitrateBps: 200_000,
    frameRate: 30,
  })
  const second = statsOf(
    { packets: 990, lost: 10, repaired: 15, bytes: 150_000, videoFrames: 400 },
    { bytes: 250_000, reportedPackets: 400, reportedLost: 20 },
  )
  expect(meter.take(second, 20_000)).toMatchObject({
    uplinkLoss: 0.25,
    downlinkLoss: 0.05,
    uplinkBitrateBps: 20_000,
    downlinkBitrateBps: 0,
    frameRate: 10,
  })
})

test('what sends nothing has no jitter, loss or frame rate, and counters that begin anew give nothing negative', () => {
  const meter = new QualityMeter(0)
  meter.take(statsOf({ packets: 50, bytes: 5000, videoFrames: 10 }), 1000)
  expect(meter.take(statsOf({}), 2000)).toMatchObject({
    jitterMs: null,
    uplinkLoss: null,
    uplinkBitrateBps: 0,
    frameRate: null,
  })
  expect(meter.take(statsOf({}), 2000)).toBeNull()
})
