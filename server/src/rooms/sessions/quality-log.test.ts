import { expect, test } from 'vitest'
import { MOST_INTERVALS, QualityLog } from './quality-log.ts'

const NOTHING = {
  talking: 0,
  round_trip_ms: null,
  jitter_ms: null,
  uplink_loss: null,
  downlink_loss: null,
  uplink_bitrate: null,
  downlink_bitrate: null,
  frame_rate: null,
}

test('an interval without a report is empty, and several reports of one are their mean', () => {
  const log = new QualityLog(1000)
  log.add(11_000, { ...NOTHING, round_trip_ms: 10 })
  log.add(31_000, { ...NOTHING, round_trip_ms: 20 })
  log.add(30_900, { ...NOTHING, round_trip_ms: 40 })
  expect(log.series.round_trip_ms).toEqual([10, null, 30])
  expect(log.series.frame_rate).toEqual([null, null, null])
})

test('a long stay halves the resolution, and never grows beyond its bound', () => {
  const log = new QualityLog(0)
  for (let index = 1; index <= MOST_INTERVALS + 1; index++) {
    log.add(index * 10_000, { ...NOTHING, round_trip_ms: index % 2 === 0 ? 30 : 10 })
  }
  expect(log.intervalMs).toBe(20_000)
  expect(log.series.round_trip_ms).toEqual([...Array(MOST_INTERVALS / 2).fill(20), 10])
  for (let day = 1; day <= 30; day++) log.add(day * 86_400_000, { ...NOTHING, round_trip_ms: 50 })
  expect(log.series.round_trip_ms.length).toBeLessThanOrEqual(MOST_INTERVALS)
  expect(log.series.round_trip_ms.at(-1)).toBe(50)
})
