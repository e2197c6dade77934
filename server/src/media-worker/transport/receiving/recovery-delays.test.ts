import { expect, test } from 'vitest'
import { RecoveryDelays } from './recovery-delays.ts'

test('single losses now and then are no reason to wait', () => {
  const recoveries = new RecoveryDelays()
  for (let i = 0; i < 7; i++) recoveries.add(120, i * 1000)
  expect(recoveries.worthwhileMs(7000)).toBe(0)
})

test('while many are lost it is worth to wait for nearly all of them', () => {
  const recoveries = new RecoveryDelays()
  for (let i = 0; i < 100; i++) recoveries.add(i % 10 === 0 ? 240 : 120, i * 50)
  expect(recoveries.worthwhileMs(5000)).toBe(240)
})

test('once the network is good again the wait ends', () => {
  const recoveries = new RecoveryDelays()
  for (let i = 0; i < 200; i++) recoveries.add(120, i * 50)
  expect(recoveries.worthwhileMs(10_000)).toBe(120)
  expect(recoveries.worthwhileMs(21_000)).toBe(0)
})
