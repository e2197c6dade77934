import { expect, test } from 'vitest'
import { Recoveries } from './recoveries.ts'

test('a network is lossy once three packets came again within ten seconds, and while they are that recent', () => {
  const recoveries = new Recoveries()
  expect(recoveries.isLossy(0)).toBe(false)
  recoveries.add(0)
  recoveries.add(2000)
  expect(recoveries.isLossy(2000)).toBe(false)
  recoveries.add(4000)
  expect(recoveries.isLossy(4000)).toBe(true)
  expect(recoveries.isLossy(10_000)).toBe(true)
  expect(recoveries.isLossy(10_001)).toBe(false)
  recoveries.add(11_000)
  expect(recoveries.isLossy(11_000)).toBe(true)
  expect(recoveries.isLossy(12_001)).toBe(false)
})
