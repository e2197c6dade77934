import { expect, test } from 'vitest'
import { Reordering } from './reordering.ts'

test('the wait settles where one in five overtaken packets comes later', () => {
  const reordering = new Reordering()
  expect(reordering.patienceMs).toBe(0)
  for (let i = 0; i < 1000; i++) reordering.onLate((i * 37) % 50)
  expect(reordering.patienceMs).toBeGreaterThan(32)
  expect(reordering.patienceMs).toBeLessThan(48)
})

test('it has a bound, and is gone where packets are lost instead', () => {
  const reordering = new Reordering()
  for (let i = 0; i < 1000; i++) reordering.onLate(900)
  expect(reordering.patienceMs).toBe(60)
  for (let i = 0; i < 60; i++) reordering.onLost()
  expect(reordering.patienceMs).toBe(0)
})
