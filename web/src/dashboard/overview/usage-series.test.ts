import { expect, test } from 'vitest'
import { seriesOf, totalsOf } from './usage-series.ts'

const hours = (count: number, value: number) => Array.from({ length: count }, () => value)
const usage = {
  start: '2030-01-31T22:00:00Z',
  member_minutes: hours(30, 2),
  recorded_minutes: hours(30, 1),
  streamed_minutes: hours(30, 0.5),
  cost_in_dollars: hours(30, 0.01),
}

test('hours stay as they are', () => {
  const { times, members } = seriesOf(usage, false)
  expect(times).toHaveLength(30)
  expect(times[1]).toBe(Date.parse('2030-01-31T23:00:00Z') / 1000)
  expect(members).toEqual(usage.member_minutes)
})

test('days begin at midnight where the person is, and lose nothing', () => {
  const { times, members, recorded, streamed } = seriesOf(usage, true)
  for (const time of times) expect(new Date(time * 1000).getHours()).toBe(0)
  expect(new Set(times).size).toBe(times.length)
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  expect([sum(members), sum(recorded), sum(streamed)]).toEqual([60, 30, 15])
})

test('totals', () => {
  const { members, dollars } = totalsOf(usage)
  expect(members).toBe(60)
  expect(dollars).toBeCloseTo(0.3)
})
