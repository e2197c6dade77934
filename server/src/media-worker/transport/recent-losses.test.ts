import { expect, test } from 'vitest'
import { RecentLosses } from './recent-losses.ts'

test('a network is lossy once three packets were lost within ten seconds, and while they are that recent', () => {
  const losses = new RecentLosses()
  expect(losses.isLossy(0)).toBe(false)
  losses.add(0)
  losses.add(4000)
  expect(losses.isLossy(4000)).toBe(false)
  losses.add(8000)
  expect(losses.isLossy(8000)).toBe(true)
  expect(losses.isLossy(10_000)).toBe(true)
  expect(losses.isLossy(10_001)).toBe(false)
  losses.add(12_000)
  expect(losses.isLossy(12_000)).toBe(true)
  expect(losses.isLossy(14_001)).toBe(false)
})

test('two packets within two seconds are enough for the moment', () => {
  const losses = new RecentLosses()
  losses.add(1000)
  losses.add(2500)
  expect(losses.isLossy(2500)).toBe(true)
  expect(losses.isLossy(3000)).toBe(true)
  expect(losses.isLossy(3001)).toBe(false)
})
